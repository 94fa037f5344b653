/** The state as queries of a precompile read it: every read is paid for, so no query needs a limit of its own. */
import type { Address } from '../../core/address.ts'
import type { Hash } from '../../core/hash.ts'
import type { AccountState, StateReader } from '../../store/state.ts'
import type { CallGas } from './call-gas.ts'
import { ITEM_GAS, READ_BYTE_GAS, READ_GAS } from './gas.ts'

const WHAT = 'ReadFlat'
const perByte = (...parts: readonly Uint8Array[]): bigint =>
  READ_BYTE_GAS * BigInt(parts.reduce((sum, { length }) => sum + length, 0))

export class MeteredState implements StateReader {
  readonly #state: StateReader
  readonly #gas: CallGas

  constructor(state: StateReader, gas: CallGas) {
    this.#state = state
    this.#gas = gas
  }

  account(address: Address): AccountState | undefined {
    this.#gas.consume(READ_GAS, WHAT)
    return this.#state.account(address)
  }

  storage(address: Address, slot: Uint8Array): Uint8Array {
    this.#gas.consume(READ_GAS, WHAT)
    return this.#state.storage(address, slot)
  }

  code(codeHash: Hash): Uint8Array {
    this.#gas.consume(READ_GAS, WHAT)
    const code = this.#state.code(codeHash)
    this.#gas.consume(perByte(code), WHAT)
    return code
  }

  value(system: Address, key: Uint8Array): Uint8Array | undefined {
    this.#gas.consume(READ_GAS + perByte(key), WHAT)
    const value = this.#state.value(system, key)
    if (value !== undefined) this.#gas.consume(perByte(value), WHAT)
    return value
  }

  /** Reads no more items than the gas that is left pays for, and fails where there are more. */
  values(
    system: Address,
    prefix: Uint8Array,
    limit: number,
    start?: Uint8Array,
  ): (readonly [Uint8Array, Uint8Array])[] {
    const gas = this.#gas
    gas.consume(READ_GAS + perByte(prefix), WHAT)
    const affordable = gas.left / ITEM_GAS
    const isShort = affordable < BigInt(limit)
    const items = this.#state.values(system, prefix, isShort ? Number(affordable) + 1 : limit, start)
    for (const [key, value] of items) gas.consume(ITEM_GAS + perByte(key, value), 'IterNextFlat')
    return items
  }
}
