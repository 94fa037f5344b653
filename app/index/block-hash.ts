/** What the BLOCKHASH instruction can see of the chain. */
import type { Hash } from '../../core/hash.ts'
import { readHistoryHash } from '../../evm/system-contracts.ts'
import type { StateReader } from '../../store/state.ts'
import type { ChainReader } from './chain-reader.ts'

/** Blocks before the one that asks. */
export const BLOCK_HASH_WINDOW = 256

/**
 * The hash of block `number` as block `height` sees it; undefined outside the window. The hash of a block that was
 * never here, before an export or a snapshot, is what the contract of EIP-2935 remembers: `state` is that before block
 * `height`.
 */
export const recentBlockHash = (
  reader: ChainReader,
  state: StateReader,
  height: number,
  number: number,
): Hash | undefined => {
  const distance = height - number
  if (distance < 1 || distance > BLOCK_HASH_WINDOW) return undefined
  return reader.hashAt(number) ?? readHistoryHash(state, number)
}
