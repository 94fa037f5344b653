/** The read-only gRPC method of cosmos.consensus.v1.Query. */
import { consensusQuery } from '../../proto/index.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryHandler } from '../module.ts'
import { readConsensusParameters } from './keeper.ts'

const NS_PER_SECOND = 1_000_000_000n

export const CONSENSUS_QUERIES: readonly QueryHandler[] = [
  handleQuery(consensusQuery.Query.method.params, ({ state }) => {
    const { block, evidence, validator, abci } = readConsensusParameters(state)
    const { maxAgeDurationNs } = evidence
    return {
      // The query leaves the version out, as its definition says.
      params: {
        block: { maxBytes: BigInt(block.maxBytes), maxGas: BigInt(block.maxGas) },
        evidence: {
          maxAgeNumBlocks: BigInt(evidence.maxAgeNumBlocks),
          maxAgeDuration: {
            seconds: maxAgeDurationNs / NS_PER_SECOND,
            nanos: Number(maxAgeDurationNs % NS_PER_SECOND),
          },
          maxBytes: BigInt(evidence.maxBytes),
        },
        validator: { pubKeyTypes: [...validator.pubKeyTypes] },
        abci: { voteExtensionsEnableHeight: BigInt(abci.voteExtensionsEnableHeight) },
      },
    }
  }),
]
