/** Excess blob gas and the base fee of blobs (EIPs 4844, 7691, 7918): only simulated blocks have blobs. */
import type { Hardfork } from '../../evm/engine.ts'
import { BLOB_GAS } from '../../evm/transition/prepare-message.ts'
import type { Header } from '../../app/records/header.ts'

interface Schedule {
  /** Blobs a block. */
  readonly target: bigint
  readonly max: bigint
  readonly updateFraction: bigint
}

const SCHEDULES: Readonly<Record<Hardfork, Schedule>> = {
  cancun: { target: 3n, max: 6n, updateFraction: 3_338_477n },
  prague: { target: 6n, max: 9n, updateFraction: 5_007_716n },
  osaka: { target: 6n, max: 9n, updateFraction: 5_007_716n },
}
/** Execution gas that a blob is weighed against (EIP-7918). */
const BLOB_BASE_COST = 8_192n

/** numerator / denominator as the power of e, by its series. */
const exponential = (numerator: bigint, denominator: bigint): bigint => {
  let output = 0n
  let term = denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / denominator / i
  }
  return output / denominator
}

/** The blob base fee in anat a blob gas. */
export const blobBaseFee = (hardfork: Hardfork, excessBlobGas: bigint): bigint =>
  exponential(excessBlobGas, SCHEDULES[hardfork].updateFraction)

/** Tells the excess blob gas of the block after `parent`. */
export const excessBlobGas = (hardfork: Hardfork, parent: Header): bigint => {
  const { target, max } = SCHEDULES[hardfork]
  const { blobGasUsed: used = 0n, excessBlobGas: excess = 0n } = parent
  if (excess + used < target * BLOB_GAS) return 0n
  const isCheap = BLOB_BASE_COST * parent.baseFeePerGas > blobBaseFee(hardfork, excess) * BLOB_GAS
  if (hardfork === 'osaka' && isCheap) return excess + (used * (max - target)) / max
  return excess + used - target * BLOB_GAS
}
