/** Long answers as JSON, printed in turns of some milliseconds. */
import { type DescMessage, fromBinary } from '@bufbuild/protobuf'
import type { MessagePrinter } from './print-message.ts'

/** Answers of so many bytes are printed in several turns. */
export const LONG_ANSWER_BYTES = 64 * 1024
const PRINTED_A_TURN_MS = 5

/** Does a piece of work when it is its connection's turn. */
export type TakeTurn = <Result>(work: () => Result) => Promise<Result>

interface Printing {
  readonly take: TakeTurn
  /** Nobody waits for it any more. */
  readonly isOver: () => boolean
}

/** Undefined where nobody waits for it any more. */
export const printInTurns = async (
  printer: MessagePrinter,
  output: DescMessage,
  bytes: Uint8Array,
  { take, isOver }: Printing,
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

/** Prints long answers, each once: the bytes of a block that many ask for are the same ones. */
export class LongAnswerPrinter {
  readonly #printer: MessagePrinter
  readonly #printed = new WeakMap<Uint8Array, Promise<Buffer | undefined>>()

  constructor(printer: MessagePrinter) {
    this.#printer = printer
  }

  /** JSON in UTF-8. Undefined where nobody waits for it any more. */
  async print(output: DescMessage, bytes: Uint8Array, printing: Printing): Promise<Buffer | undefined> {
    while (!printing.isOver()) {
      const begun = this.#printed.get(bytes) ?? this.#begin(output, bytes, printing)
      const text = await begun
      if (text !== undefined) return text
      // Who began it has gone: the first of those that are left begins anew.
      if (this.#printed.get(bytes) === begun) this.#printed.delete(bytes)
    }
    return undefined
  }

  #begin(output: DescMessage, bytes: Uint8Array, printing: Printing): Promise<Buffer | undefined> {
    const begun = printInTurns(this.#printer, output, bytes, printing).then((text) =>
      text === undefined ? undefined : printing.take(() => Buffer.from(text)),
    )
    this.#printed.set(bytes, begun)
    return begun
  }
}
