/** Long answers as JSON, printed in turns of some milliseconds. */
import { type DescMessage, fromBinary } from '@bufbuild/protobuf'
import type { MessagePrinter } from './print-message.ts'

/** Answers of so many bytes are printed in several turns. */
export const LONG_ANSWER_BYTES = 64 * 1024
const PRINTED_A_TURN_MS = 5

/** Does a piece of work when it is its connection's turn. */
export type TakeTurn = <Result>(work: () => Result) => Promise<Result>

/** Undefined where nobody waits for it any more. */
export const printInTurns = async (
  printer: MessagePrinter,
  output: DescMessage,
  bytes: Uint8Array,
  { take, isOver }: { readonly take: TakeTurn; readonly isOver: () => boolean },
): Promise<string | undefined> => {
  const pieces = printer.pieces(output, await take(() => fromBinary(output, bytes)))
  let text = ''
  let isDone = false
  while (!isDone && !isOver()) {
    await take(() => {
      const untilMs = performance.now() + PRINTED_A_TURN_MS
      do {
        const { value, done } = pieces.next()
        isDone = done === true
        text += value ?? ''
      } while (!isDone && performance.now() < untilMs)
    })
  }
  return isDone ? text : undefined
}
