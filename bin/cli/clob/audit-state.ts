/** The state of the order book as an audit knows it: proven values, and those that its own steps have made of them. */
import type { Address } from '../../../core/address.ts'
import { bytesToKey, compareBytes, keyToBytes } from '../../../core/bytes.ts'
import { InvariantError } from '../../../core/errors.ts'
import { MARKET_PREFIX, MARKS_PREFIX, NONCES_PREFIX, ORDER_PREFIX } from '../../../modules/clob/index.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'

/** Values by bytesToKey of their key. Undefined is proven to be absent. */
export type KnownValues = Map<string, Uint8Array | undefined>

const never = (): never => {
  throw new InvariantError('an audit reads and writes nothing but values of the order book')
}

const OTHERS = {
  account: never,
  storage: never,
  code: never,
  setAccount: never,
  setStorage: never,
  clearStorage: never,
  setCode: never,
  originalStorage: never,
  beginTransaction: never,
  checkpoint: never,
  commit: never,
  revert: never,
} as const

const startsWith = (key: Uint8Array, prefix: Uint8Array): boolean => prefix.every((byte, at) => key[at] === byte)
/** The books keep them, and no step reads them in state. */
const IN_BOOKS = [ORDER_PREFIX, NONCES_PREFIX, MARKS_PREFIX]

/** Every value of the order book at one height that books are made from. */
export class ListedState implements Pick<StateReader, 'value' | 'values'> {
  readonly account = never
  readonly storage = never
  readonly code = never
  readonly #values: KnownValues
  readonly #keys: readonly Uint8Array[]

  constructor(values: KnownValues) {
    this.#values = values
    this.#keys = [...values]
      .flatMap(([key, value]) => (value === undefined ? [] : [keyToBytes(key)]))
      .toSorted(compareBytes)
  }

  value(_system: Uint8Array, key: Uint8Array): Uint8Array | undefined {
    return this.#values.get(bytesToKey(key))
  }

  values(_system: Uint8Array, prefix: Uint8Array, limit: number, start = prefix): [Uint8Array, Uint8Array][] {
    const found: [Uint8Array, Uint8Array][] = []
    for (let at = this.#indexOf(start); at < this.#keys.length && found.length < limit; at++) {
      const key = this.#keys[at] as Uint8Array
      if (!startsWith(key, prefix)) break
      found.push([key, this.#values.get(bytesToKey(key)) as Uint8Array])
    }
    return found
  }

  /** The index of the first key from `start` on. */
  #indexOf(start: Uint8Array): number {
    let [low, high] = [0, this.#keys.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareBytes(this.#keys[middle] as Uint8Array, start) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** What a step was not told, because nobody has proven it yet: it has run with nothing in its place, and counts for nothing. */
export interface Missing {
  readonly keys: Map<string, Uint8Array>
  readonly balances: Map<string, { readonly owner: Address; readonly denom: string }>
}

export const balanceName = (owner: Address, denom: string): string => bytesToKey(owner) + denom

/** What one step reads and writes. */
export class StepState implements StateWriter {
  readonly account = OTHERS.account
  readonly storage = OTHERS.storage
  readonly code = OTHERS.code
  readonly values = never
  readonly setAccount = OTHERS.setAccount
  readonly setStorage = OTHERS.setStorage
  readonly clearStorage = OTHERS.clearStorage
  readonly setCode = OTHERS.setCode
  readonly originalStorage = OTHERS.originalStorage
  readonly beginTransaction = OTHERS.beginTransaction
  readonly checkpoint = OTHERS.checkpoint
  readonly commit = OTHERS.commit
  readonly revert = OTHERS.revert
  readonly #known: KnownValues
  /** Values that hold for this block alone: agents. */
  readonly #passing: KnownValues
  readonly #balances: ReadonlyMap<string, bigint>
  readonly writes: KnownValues = new Map()
  readonly missing: Missing = { keys: new Map(), balances: new Map() }

  constructor(known: KnownValues, passing: KnownValues, balances: ReadonlyMap<string, bigint>) {
    this.#known = known
    this.#passing = passing
    this.#balances = balances
  }

  get isWhole(): boolean {
    return this.missing.keys.size + this.missing.balances.size === 0
  }

  value(_system: Uint8Array, key: Uint8Array): Uint8Array | undefined {
    const at = bytesToKey(key)
    for (const values of [this.writes, this.#known, this.#passing]) if (values.has(at)) return values.get(at)
    // Markets are numbered without a gap, and all of them are known.
    if (!startsWith(key, MARKET_PREFIX)) this.missing.keys.set(at, key)
    return undefined
  }

  setValue(_system: Uint8Array, key: Uint8Array, value: Uint8Array | undefined): void {
    if (!IN_BOOKS.some((prefix) => startsWith(key, prefix))) this.writes.set(bytesToKey(key), value)
  }

  balance(owner: Address, denom: string): bigint {
    const name = balanceName(owner, denom)
    const balance = this.#balances.get(name)
    if (balance === undefined) this.missing.balances.set(name, { owner, denom })
    return balance ?? 0n
  }
}

/** Makes what the writers of the module's keeper write to. */
export const writerOf = (known: KnownValues): StepState => new StepState(known, new Map(), new Map())

/** Makes what the readers of the module's keeper read. */
export const readerOf: (known: KnownValues) => StateReader = writerOf
