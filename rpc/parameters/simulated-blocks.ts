/** What eth_simulateV1 takes: blocks of calls (geth's simOpts). */
import type { Questions, SimulatedBlock } from '../../app/ports.ts'
import { decodeCall, passCall, type CallArguments } from './transaction-arguments.ts'
import { arrayDecoder, decodeBoolean, optional, structDecoder, type Decode } from './go-json.ts'
import {
  decodeBlockOverrides,
  decodeStateOverrides,
  passStateOverrides,
  toSimulatedBlockOverrides,
  type BlockOverridesRead,
  type StateOverridesRead,
} from './overrides.ts'

interface BlockMembers {
  readonly blockOverrides: BlockOverridesRead | undefined
  readonly stateOverrides: StateOverridesRead | undefined
  readonly calls: readonly CallArguments[]
}

interface Members {
  readonly blockStateCalls: readonly Partial<BlockMembers>[]
  readonly traceTransfers: boolean
  readonly validation: boolean
  readonly returnFullTransactions: boolean
}

const decodeBlock = structDecoder<BlockMembers>({
  type: 'ethapi.simBlock',
  name: 'simBlock',
  capitalized: true,
  members: {
    blockOverrides: optional(decodeBlockOverrides),
    stateOverrides: optional(decodeStateOverrides),
    calls: arrayDecoder('[]ethapi.TransactionArgs', decodeCall),
  },
})

export type SimulatedBlocksRead = Partial<Members>

export const decodeSimulatedBlocks: Decode<SimulatedBlocksRead> = structDecoder<Members>({
  type: 'ethapi.simOpts',
  name: 'simOpts',
  capitalized: true,
  members: {
    blockStateCalls: arrayDecoder('[]ethapi.simBlock', decodeBlock),
    traceTransfers: decodeBoolean,
    validation: decodeBoolean,
    returnFullTransactions: decodeBoolean,
  },
})

const toBlock = ({ blockOverrides = {}, stateOverrides, calls = [] }: Partial<BlockMembers>): SimulatedBlock => ({
  blockOverrides: toSimulatedBlockOverrides(blockOverrides),
  ...(stateOverrides === undefined ? {} : { stateOverrides: passStateOverrides(stateOverrides) }),
  calls: calls.map(passCall),
})

export const toSimulatedBlocks = (read: SimulatedBlocksRead): Omit<Questions['simulate'], 'block'> => ({
  blocks: (read.blockStateCalls ?? []).map(toBlock),
  traceTransfers: read.traceTransfers ?? false,
  validation: read.validation ?? false,
  fullTransactions: read.returnFullTransactions ?? false,
})
