/** CometBFT's consensus parameters as the application owns them. */
import { GENESIS_MAX_BLOCK_BYTES, GENESIS_MAX_BLOCK_GAS } from '../../core/limits.ts'
import { parametersRefused } from './errors.ts'

export interface ConsensusParameters {
  readonly block: { readonly maxBytes: number; readonly maxGas: number }
  readonly evidence: { readonly maxAgeNumBlocks: number; readonly maxAgeDurationNs: bigint; readonly maxBytes: number }
  readonly validator: { readonly pubKeyTypes: readonly string[] }
  readonly version: { readonly app: number }
  readonly abci: { readonly voteExtensionsEnableHeight: number }
}

/** Largest block in bytes: above it, replies that carry a whole block would pass CometBFT's limits. */
const MAX_BLOCK_BYTES = 8_000_000

export const DEFAULT_CONSENSUS_PARAMETERS: ConsensusParameters = {
  block: { maxBytes: GENESIS_MAX_BLOCK_BYTES, maxGas: GENESIS_MAX_BLOCK_GAS },
  evidence: { maxAgeNumBlocks: 100_000, maxAgeDurationNs: 172_800_000_000_000n, maxBytes: 1_048_576 },
  validator: { pubKeyTypes: ['ed25519'] },
  version: { app: 1 },
  abci: { voteExtensionsEnableHeight: 1 },
}

const refuse = (message: string): never => {
  throw parametersRefused(`consensus params: ${message}`)
}

/** Refuses what this application cannot run with. Throws consensus/1. */
export const checkConsensusParameters = (parameters: ConsensusParameters): void => {
  const { block, validator } = parameters
  if (block.maxBytes < 1 || block.maxBytes > MAX_BLOCK_BYTES) {
    refuse(`block.max_bytes must be between 1 and ${MAX_BLOCK_BYTES}, not ${block.maxBytes}`)
  }
  if (block.maxGas < 1) refuse(`block.max_gas must be positive (1,000,000,000 on this chain), not ${block.maxGas}`)
  if (validator.pubKeyTypes.length !== 1 || validator.pubKeyTypes[0] !== 'ed25519') {
    refuse(`validator.pub_key_types must be ["ed25519"], not ${JSON.stringify(validator.pubKeyTypes)}`)
  }
}

/**
 * JSON with integers as text where they may pass 2^53. It is state: its members have a fixed order, whoever made the
 * object.
 */
export const encodeConsensusParameters = ({ block, evidence, validator, version, abci }: ConsensusParameters): string =>
  JSON.stringify({
    block: { maxBytes: block.maxBytes, maxGas: block.maxGas },
    evidence: {
      maxAgeNumBlocks: evidence.maxAgeNumBlocks,
      maxAgeDurationNs: evidence.maxAgeDurationNs.toString(),
      maxBytes: evidence.maxBytes,
    },
    validator: { pubKeyTypes: validator.pubKeyTypes },
    version: { app: version.app },
    abci: { voteExtensionsEnableHeight: abci.voteExtensionsEnableHeight },
  })

export const decodeConsensusParameters = (text: string): ConsensusParameters => {
  const parsed = JSON.parse(text) as ConsensusParameters
  return { ...parsed, evidence: { ...parsed.evidence, maxAgeDurationNs: BigInt(parsed.evidence.maxAgeDurationNs) } }
}
