/** What this node reads of its CometBFT, however much many clients make it ask for at once. */
import { expect, it } from 'vitest'
import { ByteBudget } from '../../../rpc/grpc/byte-budget.ts'
import { readText } from './comet-rpc.ts'

const bytes = (count: number): Uint8Array<ArrayBuffer> => new Uint8Array(count).fill(0x20)
const EVERYTHING = 1_000

/** An answer that has sent `first` bytes, and sends `last` when it is told to. */
const halfSent = (first: number, last: number) => {
  const rest = Promise.withResolvers<undefined>()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async start(controller) {
      controller.enqueue(bytes(first))
      await rest.promise
      controller.enqueue(bytes(last))
      controller.close()
    },
  })
  return { body, send: () => rest.resolve(undefined) }
}

it('long answers at once take no more memory than there is for them, and give it back', async () => {
  const budget = new ByteBudget(100)
  const whole = (count: number) => readText(halfSent(count, 0).body, 'x', EVERYTHING, budget)
  const long = halfSent(60, 30)
  const read = readText(long.body, 'x', EVERYTHING, budget)
  await Promise.resolve()
  await expect(whole(50)).rejects.toMatchObject({ codespace: 'query', code: 5 })
  long.send()
  expect((await read).length).toBe(90)
  expect(budget.held).toBe(0)
  await expect(readText(new Response(bytes(50)).body, 'x', 40, budget)).rejects.toThrow('answers more than 40 bytes')
  expect(budget.held).toBe(0)
})
