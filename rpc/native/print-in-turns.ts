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

/** For some milliseconds; true when nothing is left. */
const printSome = (pieces: Generator<string, void>, add: (piece: string) => void): boolean => {
  const untilMs = performance.now() + PRINTED_A_TURN_MS
  do {
    const { value, done } = pieces.next()
    if (done === true) return true
    add(value)
  } while (performance.now() < untilMs)
  return false
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
      isDone = printSome(pieces, (piece) => {
        text += piece
      })
    })
  }
  return isDone ? text : undefined
}

/** What has been printed of an answer so far. */
class Print {
  readonly #text: string[] = []
  readonly #begin: () => Generator<string, void>
  #pieces: Generator<string, void> | undefined
  #isDone = false
  #failure: { readonly error: unknown } | undefined
  /** All of it, in UTF-8. */
  result: Buffer | undefined

  constructor(begin: () => Generator<string, void>) {
    this.#begin = begin
  }

  /** One step: reading the message, some milliseconds of printing, or putting the pieces together. Throws for all who wait what it has thrown for one. */
  advance(): void {
    if (this.#failure !== undefined) throw this.#failure.error
    if (this.result !== undefined) return
    try {
      this.#step()
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }

  #step(): void {
    if (this.#pieces === undefined) this.#pieces = this.#begin()
    else if (this.#isDone) this.result = Buffer.from(this.#text.join(''))
    else this.#isDone = printSome(this.#pieces, (piece) => this.#text.push(piece))
  }
}

/**
 * Prints long answers, each once: the bytes of a block that many ask for are the same ones. Each who waits goes on with it
 * when he has his turn, so that nobody waits in the place of another one, and nothing is lost with one who goes.
 */
export class LongAnswerPrinter {
  readonly #printer: MessagePrinter
  readonly #prints = new WeakMap<Uint8Array, Print>()

  constructor(printer: MessagePrinter) {
    this.#printer = printer
  }

  /** JSON in UTF-8. Undefined where nobody waits for it any more. */
  async print(output: DescMessage, bytes: Uint8Array, { take, isOver }: Printing): Promise<Buffer | undefined> {
    const print = this.#prints.get(bytes) ?? new Print(() => this.#printer.pieces(output, fromBinary(output, bytes)))
    this.#prints.set(bytes, print)
    while (print.result === undefined && !isOver()) await take(() => print.advance())
    return print.result
  }
}
