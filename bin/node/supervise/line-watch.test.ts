import { expect, it } from 'vitest'
import { LineWatch } from './line-watch.ts'

const watch = () => {
  const lines: string[] = []
  const add = (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`)
  return { lines, watch: new LineWatch({ info: add, warn: add, error: add }) }
}

it('says that peers run another line of CometBFT, once in five minutes', () => {
  const { lines, watch: line } = watch()
  const versions = ['0.39.0', '0.38.25', '0.38.25', '0.38.3']
  for (let second = 0; second <= 301; second++) line.see({ nowMs: second * 1_000, own: '0.39.0', versions })
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(/^peers run another line of CometBFT .*"own":"0.39.0","peers":"0.38.25, 0.38.3".*one height/)
})

it('names few of those that say anything, and not all of it', () => {
  const { lines, watch: line } = watch()
  line.see({
    nowMs: 0,
    own: '0.39.0',
    versions: Array.from({ length: 50 }, (_, index) => `${index}.${'9'.repeat(1_000)}`),
  })
  expect(lines[0]?.length).toBeLessThan(600)
})

it('says nothing of other versions of one line, nor of peers that say none', () => {
  const { lines, watch: line } = watch()
  line.see({ nowMs: 0, own: '0.38.25', versions: ['0.38.17', '', '0.38.25'] })
  line.see({ nowMs: 1_000, own: '0.38.25', versions: [] })
  expect(lines).toEqual([])
})
