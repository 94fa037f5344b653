/** The chain below a block, as far as votes are concerned. The chain of a step of a block (app/block/chain.ts) is one. */
import type { StateReader } from '../../store/state.ts'
import type { ChainParameters } from '../records/chain-parameters.ts'
import type { HeaderRecord } from '../records/records.ts'
import type { VerifyExtension } from './verified-memo.ts'

/** What the votes that a block holds are judged by. */
export interface AttestedChain {
  readonly parameters: Pick<ChainParameters, 'chainId' | 'initialHeight'>
  readonly state: StateReader
  readonly verifyExtension: VerifyExtension
}

/** What a vote for a block is given by. */
export interface VotedChain extends AttestedChain {
  readonly parameters: ChainParameters
  /** The head, which is the block below. */
  readonly head: { readonly record: HeaderRecord }
}
