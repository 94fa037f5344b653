/** Contracts that the block itself calls: their addresses and runtime code, for genesis. */
import { type Address, parseAddress } from '../core/address.ts'
import { hexToBytes } from '../core/hex.ts'

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

/** EIP-4788: parent beacon block roots. */
export const BEACON_ROOTS: SystemContract = {
  address: parseAddress('0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02'),
  code: hexToBytes(
    '0x3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
  ),
}
