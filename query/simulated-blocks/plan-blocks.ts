/** Which blocks a simulation has, gaps filled, and what of their headers is known before they run. */
import type { Address } from '../../core/address.ts'
import type { CodedError } from '../../core/errors.ts'
import { type Hash, ZERO_HASH } from '../../core/hash.ts'
import { hexToBigint, hexToBytes } from '../../core/hex.ts'
import type { Header } from '../../app/records/header.ts'
import { simulationError } from '../../app/errors.ts'
import type { SimulatedBlock } from '../../app/ports.ts'
import { toNumber } from '../overrides.ts'

/** The most blocks in one request, and between the base and the last of them. */
const MAX_BLOCKS = 256
/** The distance of blocks whose time is not said. */
const SECONDS_BETWEEN_BLOCKS = 12

export interface PlannedBlock extends SimulatedBlock {
  readonly number: number
  /** Seconds. */
  readonly timestamp: number
  readonly coinbase: Address
  readonly gasLimit: bigint
  readonly prevRandao: Hash
}

/** Recipient of fees and gas limit are the parent's where they are not overridden. */
const planBlock = (
  block: SimulatedBlock,
  number: number,
  timestamp: number,
  parent: Pick<PlannedBlock, 'coinbase' | 'gasLimit'>,
): PlannedBlock => {
  const { feeRecipient, gasLimit, prevRandao } = block.blockOverrides
  return {
    ...block,
    number,
    timestamp,
    coinbase: feeRecipient === undefined ? parent.coinbase : hexToBytes(feeRecipient),
    gasLimit: gasLimit === undefined ? parent.gasLimit : hexToBigint(gasLimit),
    prevRandao: prevRandao === undefined ? ZERO_HASH : hexToBytes(prevRandao),
  }
}

const numberOf = ({ blockOverrides }: SimulatedBlock, previous: number, base: number): number => {
  if (blockOverrides.number === undefined) return previous + 1
  const number = hexToBigint(blockOverrides.number)
  if (number <= BigInt(previous)) {
    throw simulationError('blockNumberInvalid', `block numbers must be in order: ${number} <= ${previous}`)
  }
  // Beyond what is counted exactly it is beyond the limit.
  return number > BigInt(base + MAX_BLOCKS) ? base + MAX_BLOCKS + 1 : Number(number)
}

const tooManyBlocks = (): CodedError => simulationError('limitExceeded', 'too many blocks')

/** Throws simulation/26. */
export const requireBlockCount = (count: number): void => {
  if (count > MAX_BLOCKS) throw tooManyBlocks()
}

/** Plans the blocks of a request and those between them. Throws simulation/20, /21, /26, and query/2 for a time beyond 2^53 s. */
export const planBlocks = (blocks: readonly SimulatedBlock[], base: Header): readonly PlannedBlock[] => {
  const planned: PlannedBlock[] = []
  let parent: Pick<PlannedBlock, 'coinbase' | 'gasLimit'> = { coinbase: base.miner, gasLimit: base.gasLimit }
  let [number, timestamp] = [base.number, base.timestamp]
  const add = (block: SimulatedBlock): void => {
    const next = planBlock(block, number, timestamp, parent)
    planned.push(next)
    parent = next
  }
  for (const block of blocks) {
    const wanted = numberOf(block, number, base.number)
    requireBlockCount(wanted - base.number)
    while (++number < wanted) {
      timestamp += SECONDS_BETWEEN_BLOCKS
      add({ blockOverrides: {}, calls: [] })
    }
    const { time } = block.blockOverrides
    const at = time === undefined ? timestamp + SECONDS_BETWEEN_BLOCKS : toNumber(time, 'time')
    if (at <= timestamp) {
      throw simulationError('blockTimestampInvalid', `block timestamps must be in order: ${at} <= ${timestamp}`)
    }
    timestamp = at
    add(block)
  }
  return planned
}
