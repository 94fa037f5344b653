import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { createMallocTrim } from './malloc-trim.ts'

it('gives back what lies between blocks still in use', () => {
  const script = `
    import { setTimeout as pause } from 'node:timers/promises'
    import { createMallocTrim } from '${import.meta.dirname}/malloc-trim.ts'
    const trim = createMallocTrim({ info: (text) => { throw new Error(text) } })
    trim()
    let arrays = Array.from({ length: 300_000 }, () => Buffer.allocUnsafeSlow(400).fill(1))
    const kept = arrays.filter((_, at) => at % 50 === 0)
    arrays = []
    gc()
    // The arrays are freed by a thread, which the next collection waits for.
    gc()
    const before = process.memoryUsage().rss
    trim()
    console.log(JSON.stringify([before, process.memoryUsage().rss, kept.length]))`
  const flags = ['--expose-gc', '--disable-warning=ExperimentalWarning', '--input-type=module-typescript']
  const output = execFileSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8' })
  const [before, after, kept] = JSON.parse(output) as [number, number, number]
  expect(kept).toBe(6_000)
  expect(before - after).toBeGreaterThan(50e6)
})

it('says once that there is nothing to give memory back with', () => {
  const lines: unknown[] = []
  const trim = createMallocTrim({ info: (text, fields) => void lines.push([text, fields]) }, () => {
    throw new Error('no such function')
  })
  trim()
  trim()
  expect(lines).toEqual([
    ['freed memory stays with the process: malloc_trim is not there', { reason: 'no such function' }],
  ])
})
