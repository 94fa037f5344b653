/** The state as queries of a precompile read it: every read is paid for, so no query needs a limit of its own. */
import type { Address } from '../../core/address.ts'
import { concatBytes } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import type { AccountState, StateReader } from '../../store/state.ts'
import type { CallGas } from './call-gas.ts'
import { ITEM_GAS, READ_BYTE_GAS, READ_GAS } from './gas.ts'

const WHAT = 'ReadFlat'
/** Items of a scan that are read before they are paid for. */
const BATCH = 16
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

  /**
   * Fails where there are more items than the gas pays for. It has read few more than those by then: they may be long.
   */
  values(
    system: Address,
    prefix: Uint8Array,
    limit: number,
    start?: Uint8Array,
  ): (readonly [Uint8Array, Uint8Array])[] {
    const gas = this.#gas
    gas.consume(READ_GAS + perByte(prefix), WHAT)
    const items: (readonly [Uint8Array, Uint8Array])[] = []
    for (let from = start; items.length < limit; ) {
      const wanted = Math.min(BATCH, limit - items.length)
      const batch = this.#state.values(system, prefix, wanted, from)
      for (const [key, value] of batch) gas.consume(ITEM_GAS + perByte(key, value), 'IterNextFlat')
      items.push(...batch)
      const last = batch.at(-1)
      if (last === undefined || batch.length < wanted) break
      from = concatBytes(last[0], Uint8Array.of(0))
    }
    return items
  }
}
