import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { concatBytes, uint32ToBytes, uint64ToBytes } from '../../../core/bytes.ts'
import { decodeOrders, encodeOrders, openOrderJournal } from './order-journal.ts'

const folder = mkdtempSync(join(tmpdir(), 'orders-'))
afterAll(() => rmSync(folder, { recursive: true }))
const fail = (error: Error): never => {
  throw error
}
const order = (seenMs: number, length: number) => ({ seenMs, raw: new Uint8Array(length).fill(length) })
const ORDERS = [order(1_700_000_000_123, 150), order(1_700_000_000_001, 4_096), order(0, 1)]

describe('the journal of orders', () => {
  it('has one record each: wall clock, length, wire form', () => {
    const { seenMs, raw } = order(1_700_000_000_123, 150)
    expect(encodeOrders([{ seenMs, raw }])).toEqual(concatBytes(uint64ToBytes(seenMs), uint32ToBytes(150), raw))
    expect(decodeOrders(encodeOrders(ORDERS))).toEqual(ORDERS)
  })

  it('gives back every whole record of a file that was torn anywhere, and goes on behind them', () => {
    const path = join(folder, 'torn')
    const whole = encodeOrders(ORDERS)
    for (const length of [0, 1, 11, 12, 161, 162, 163, 173, 174, 175, 4_269, 4_270, 4_282, 4_283]) {
      const journal = openOrderJournal(path, fail)
      journal.rewrite(ORDERS)
      truncateSync(path, length)
      const held = ORDERS.filter((_, index) => encodeOrders(ORDERS.slice(0, index + 1)).length <= length)
      expect(journal.load()).toEqual(held)
      journal.append([order(5, 10)])
      expect(openAndLoad(path)).toEqual([...held, order(5, 10)])
      journal.close()
    }
    expect(whole).toHaveLength(4_283)
  })

  it('ends where a power failure left zeros or something else', () => {
    for (const [name, tail] of [
      ['zeros', new Uint8Array(5_000)],
      ['a length that no order has', concatBytes(uint64ToBytes(7), uint32ToBytes(4_097), new Uint8Array(5_000))],
      ['a time that no clock has', concatBytes(new Uint8Array(8).fill(255), uint32ToBytes(10), new Uint8Array(10))],
    ] as const) {
      const path = join(folder, name)
      const journal = openOrderJournal(path, fail)
      journal.append(ORDERS)
      appendFileSync(path, tail)
      expect(journal.load()).toEqual(ORDERS)
      expect(readFileSync(path)).toHaveLength(4_283)
      journal.close()
    }
  })

  it('has what was appended before the process was killed', async () => {
    const path = join(folder, 'killed')
    const source = `
      const { openOrderJournal } = await import(${JSON.stringify(new URL('./order-journal.ts', import.meta.url).href)})
      const journal = openOrderJournal(${JSON.stringify(path)}, () => undefined)
      journal.append([{ seenMs: 1700000000123, raw: new Uint8Array(150).fill(150) }])
      process.stdout.write('written')
      setInterval(() => undefined, 1000)
    `
    const child = spawn(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      source,
    ])
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(openAndLoad(path)).toEqual([order(1_700_000_000_123, 150)])
  })
})

const openAndLoad = (path: string) => {
  const journal = openOrderJournal(path, fail)
  try {
    return journal.load()
  } finally {
    journal.close()
  }
}
