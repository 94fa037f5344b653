/** What the bridge needs of the rest of the node. */
import type { StateReader } from '../../store/state.ts'
import type { Ledger } from '../ledger.ts'
import type { StakeReader } from '../stake.ts'

export interface BridgeDependencies {
  readonly ledger: Pick<Ledger, 'mint' | 'burn' | 'send' | 'supply' | 'isBlockedReceiver'>
  readonly stake: Pick<StakeReader, 'validator'>
  /** The set whose votes decide block `height`, with the addresses of its keys. */
  votingPowers(state: StateReader, height: number): readonly { readonly address: Uint8Array; readonly power: bigint }[]
}
