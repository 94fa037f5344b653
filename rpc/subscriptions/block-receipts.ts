/**
 * Receipts of a block by the hashes that subscriptions name: those that somebody wants are asked for, and each once for all. All receipts of
 * a block may be longer than one answer.
 */
import type { QuestionName, Questions } from '../../app/ports.ts'
import type { Hex } from '../../core/hex.ts'
import type { Text } from '../../core/text.ts'
import { rpcError } from '../errors.ts'
import { bytesOf, joinTexts, type Notification } from './notification.ts'

type AskText = <Name extends QuestionName>(name: Name, parameters: Questions[Name]) => Text | Promise<Text>

/** Receipts that are asked for together: one may have 14 MB. */
const AT_ONCE = 4
/** What one notification may have, and what is remembered for others. */
const MAX_BYTES = 64 * 1024 * 1024

const NULL = Buffer.from('null')

export class BlockReceipts {
  readonly #askText: AskText
  readonly #places: ReadonlyMap<Hex, number>
  readonly #texts = new Map<Hex, Promise<Buffer>>()
  #bytes = 0

  /** `hashes` are those of the block's transactions, in their order. */
  constructor(askText: AskText, hashes: readonly Hex[]) {
    this.#askText = askText
    this.#places = new Map(hashes.map((hash, place) => [hash, place]))
  }

  /** The receipts of those that are in the block, in its order; undefined where none is. Throws rpc/responseTooLarge. */
  async pick(hashes: ReadonlySet<Hex>): Promise<Notification | undefined> {
    const placeOf = (hash: Hex): number => this.#places.get(hash) ?? -1
    const wanted = [...hashes].filter((hash) => this.#places.has(hash)).sort((a, b) => placeOf(a) - placeOf(b))
    if (wanted.length === 0) return undefined
    const texts: Buffer[] = []
    let length = 0
    for (let done = 0; done < wanted.length; done += AT_ONCE) {
      const window = wanted.slice(done, done + AT_ONCE)
      for (const text of await Promise.all(window.map((hash) => this.#textOf(hash)))) {
        texts.push(text)
        length += text.length
      }
      if (length > MAX_BYTES) throw rpcError('responseTooLarge', `the receipts have more than ${MAX_BYTES} bytes`)
    }
    return joinTexts(texts)
  }

  /** Several clients may want it while it is asked for. */
  #textOf(hash: Hex): Promise<Buffer> {
    const known = this.#texts.get(hash)
    if (known !== undefined) return known
    const asked = this.#ask(hash)
    this.#texts.set(hash, asked)
    asked.catch(() => this.#texts.delete(hash))
    return asked
  }

  async #ask(hash: Hex): Promise<Buffer> {
    const text = bytesOf(await this.#askText('receipt', { hash }))
    if (text.equals(NULL)) throw rpcError('failed', `the receipt of ${hash} is not there any more`)
    if (this.#bytes + text.length > MAX_BYTES) {
      this.#texts.clear()
      this.#bytes = 0
    }
    this.#bytes += text.length
    return text
  }
}
