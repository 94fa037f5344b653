import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { cometQuery } from '../../proto/index.ts'
import { LongAnswerPrinter, type TakeTurn } from './print-in-turns.ts'
import { createMessagePrinter } from './print-message.ts'
import { createTypeRegistry, NATIVE_SERVICES } from './services.ts'

const printer = createMessagePrinter(createTypeRegistry(NATIVE_SERVICES))
const OUTPUT = cometQuery.GetBlockByHeightResponseSchema
const MESSAGE = create(OUTPUT, { block: { data: { txs: Array.from({ length: 40 }, () => new Uint8Array(250_000)) } } })
const BYTES = toBinary(OUTPUT, MESSAGE)
const TEXT = printer.print(OUTPUT, MESSAGE)

/** Turns that are taken when they are given. */
const createTurns = () => {
  const works: (() => void)[] = []
  const take: TakeTurn = (work) => new Promise((resolve) => void works.push(() => resolve(work())))
  const give = async (): Promise<void> => {
    works.shift()?.()
    await new Promise(setImmediate)
  }
  return { take, give }
}

describe('a long answer of many clients', () => {
  it('is printed once, by the turns of whoever has some', async () => {
    const long = new LongAnswerPrinter(printer)
    // This one came first, and its line is long.
    const first = createTurns()
    const waits = long.print(OUTPUT, BYTES, { take: first.take, isOver: () => false })
    const second = createTurns()
    let printed: Buffer | undefined
    const answered = long.print(OUTPUT, BYTES, { take: second.take, isOver: () => false }).then((text) => {
      printed = text
    })
    for (let count = 0; printed === undefined && count < 10_000; count++) await second.give()
    await answered
    expect(printed?.toString() === TEXT).toBe(true)
    await first.give()
    expect(await waits).toBe(printed)
    // It is there for who comes later.
    expect(await long.print(OUTPUT, BYTES, { take: second.take, isOver: () => false })).toBe(printed)
  })

  it('goes on where it was when one of them goes, and begins for nobody who has gone', async () => {
    const long = new LongAnswerPrinter(printer)
    let begun = 0
    const counting = new LongAnswerPrinter({
      print: (desc, message) => printer.print(desc, message),
      pieces: (desc, message) => {
        begun++
        return printer.pieces(desc, message)
      },
    })
    expect(await long.print(OUTPUT, BYTES, { take: createTurns().take, isOver: () => true })).toBeUndefined()
    const turns = createTurns()
    let isGone = false
    const gone = counting.print(OUTPUT, BYTES, { take: turns.take, isOver: () => isGone })
    await turns.give()
    await turns.give()
    isGone = true
    await turns.give()
    expect(await gone).toBeUndefined()
    const own = createTurns()
    let printed: Buffer | undefined
    const answered = counting.print(OUTPUT, BYTES, { take: own.take, isOver: () => false }).then((text) => {
      printed = text
    })
    for (let count = 0; printed === undefined && count < 10_000; count++) await own.give()
    await answered
    expect(printed?.toString() === TEXT).toBe(true)
    expect(begun).toBe(1)
  })

  it('that cannot be printed is an error for each of them, and never half of it', async () => {
    const long = new LongAnswerPrinter({
      print: () => '',
      pieces: function* () {
        yield '{'
        throw new TypeError('no such type')
      },
    })
    const take: TakeTurn = async (work) => work()
    for (let count = 0; count < 3; count++) {
      await expect(long.print(OUTPUT, BYTES, { take, isOver: () => false })).rejects.toThrow('no such type')
    }
  })
})
