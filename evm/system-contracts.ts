/** Contracts that the block itself calls: their addresses and runtime code, for genesis. */
import { type Address, parseAddress } from '../core/address.ts'
import { bigintToBytes, padLeft } from '../core/bytes.ts'
import type { Hash } from '../core/hash.ts'
import { hexToBytes } from '../core/hex.ts'
import type { StateReader } from '../store/state.ts'

/** Who calls them (EIP-4788). */
export const SYSTEM_ADDRESS: Address = parseAddress('0xfffffffffffffffffffffffffffffffffffffffe')
export const SYSTEM_CALL_GAS = 30_000_000n

export interface SystemContract {
  readonly address: Address
  readonly code: Uint8Array
}

/** EIP-2935: hashes of the last 8,191 blocks. Called with the parent's hash at the start of every block. */
export const HISTORY_STORAGE: SystemContract = {
  address: parseAddress('0x0000F90827F1C53a10cb7A02335B175320002935'),
  code: hexToBytes(
    '0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
  ),
}

/** Blocks whose hashes {@link HISTORY_STORAGE} keeps. */
export const HISTORY_WINDOW = 8_191

/**
 * The hash of block `height` as the state of a later block has it, up to 8,191 blocks on; undefined when the chain did
 * not have that block. After an export or a snapshot it is known from here alone.
 */
export const readHistoryHash = (state: StateReader, height: number): Hash | undefined => {
  const slot = padLeft(bigintToBytes(BigInt(height % HISTORY_WINDOW)), 32)
  const hash = state.storage(HISTORY_STORAGE.address, slot)
  return hash.length === 0 ? undefined : padLeft(hash, 32)
}

/** EIP-4788: parent beacon block roots. */
export const BEACON_ROOTS: SystemContract = {
  address: parseAddress('0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02'),
  code: hexToBytes(
    '0x3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
  ),
}
