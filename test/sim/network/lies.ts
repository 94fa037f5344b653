/**
 * What liars do: propose what is invalid, send different things to different nodes, vote twice, sign extensions of their own
 * or wrongly, and bring their votes late. Their applications are honest: a lie is made of what an honest node would say.
 */
import type { PrivateKeyAccount } from 'viem/accounts'
import { EMPTY_BYTES, equalBytes } from '../../../core/bytes.ts'
import { bytesToHex, type Hex } from '../../../core/hex.ts'
import type { ProposedBlock } from '../../../app/ports.ts'
import { withHash, withTransactions } from '../driver.ts'
import { FORGERIES } from '../forgeries.ts'
import type { Random } from '../random.ts'
import { INVALID_KINDS, makeInvalid } from '../traffic.ts'
import type { Validator } from '../validators.ts'
import type { Block, Vote } from './messages.ts'
import type { Plan } from './plan.ts'
import type { Origin } from './rules.ts'

const INJECTED_BYTE = 0x71
/** More than a set of seven may use each. */
const OVERSIZE_BYTES = 200_000
const HOUR_NS = 3_600_000_000_000n

export interface LiarContext {
  readonly random: Random
  readonly lies: Plan['lies']
  readonly chainId: string
  readonly blockGas: bigint
  /** Has funds and sends nothing. */
  readonly account: PrivateKeyAccount
  /** A transaction of a block that was decided. */
  oldTransaction(): Uint8Array | undefined
}

export interface Lie {
  readonly block: Block
  readonly origin: Origin
  readonly why: string
}

const withContent = (block: Block, content: ProposedBlock, changed: Partial<Block> = {}): Block => ({
  ...block,
  ...changed,
  content,
  hash: bytesToHex(content.hash),
})

const rehashed = ({ hash: _, ...content }: ProposedBlock, changed: Partial<ProposedBlock>): ProposedBlock =>
  withHash({ ...content, ...changed })

type Kind = readonly [why: string, origin: Origin, transactions: readonly Uint8Array[]]

/** Lies of the application's kinds. */
const alterTransactions = async (block: Block, validator: Validator, context: LiarContext): Promise<Kind> => {
  const { random, account, chainId, blockGas } = context
  const { transactions, height } = block.content
  const first = transactions[0]?.[0] === INJECTED_BYTE ? 1 : 0
  const place = first + random.below(transactions.length - first + 1)
  const [injected] = transactions
  const kind = random.below(first === 1 ? 9 : 6)
  if (kind >= 6 && injected !== undefined) {
    const [why, forge] = random.pick(Object.entries(FORGERIES))
    const forged = forge(injected, { height, chainId, validator })
    return [why, equalBytes(forged, injected) ? 'honest' : 'invalid', [forged, ...transactions.slice(1)]]
  }
  if (kind === 0 && transactions.length > first) {
    return ['a transaction twice', 'invalid', [...transactions, random.pick(transactions.slice(first))]]
  }
  const old = context.oldTransaction()
  if (kind === 1 && old !== undefined) return ['an old transaction', 'invalid', transactions.toSpliced(place, 0, old)]
  if (kind === 2 && transactions.length > first) {
    return ['a transaction left out', 'odd', transactions.toSpliced(Math.min(place, transactions.length - 1), 1)]
  }
  if (kind === 3)
    return ['another order', 'odd', [...transactions.slice(0, first), ...transactions.slice(first).toReversed()]]
  if (kind === 4 && first === 1) return ['no vote extensions', 'invalid', transactions.slice(1)]
  // A timeout at height 1 is not over in the first blocks.
  const kinds = height > 2 ? INVALID_KINDS : INVALID_KINDS.filter((name) => !name.includes('too late'))
  const name = random.pick(kinds)
  const raw = await makeInvalid(name, {
    random,
    account,
    nonce: 0,
    chainId,
    injected: first === 1 ? injected : undefined,
    blockGas,
  })
  return [name, 'invalid', transactions.toSpliced(place, 0, raw)]
}

/** Lies of the kinds that CometBFT itself refuses. */
const alterHeader = (block: Block, random: Random): Lie => {
  const { content, lastCommit } = block
  const kind = random.below(3)
  if (kind === 0) {
    const appHash = random.bytes(32)
    const proposed = rehashed(content, { nextValidatorsHash: appHash })
    return { block: withContent(block, proposed, { appHash }), origin: 'invalid', why: 'another app hash' }
  }
  const [one] = content.lastCommit
  if (kind === 1 && lastCommit !== undefined && one !== undefined) {
    const misbehavior = [
      { ...one, type: 'duplicate-vote', height: content.height - 1, timeNs: content.timeNs, totalPower: one.power },
    ] as const
    return { block: withContent(block, rehashed(content, { misbehavior })), origin: 'invalid', why: 'made up evidence' }
  }
  const timeNs = content.timeNs + HOUR_NS
  return { block: withContent(block, rehashed(content, { timeNs })), origin: 'invalid', why: 'another time' }
}

/** An honest block, or a lie about it. */
export const lieInBlock = async (block: Block, validator: Validator, context: LiarContext): Promise<Lie> => {
  const { random } = context
  if (random.chance(20)) return alterHeader(block, random)
  const [why, origin, transactions] = await alterTransactions(block, validator, context)
  const content = withTransactions(block.content, transactions)
  const isSame = equalBytes(content.hash, block.content.hash)
  return { block: withContent(block, content), origin: isSame ? 'honest' : origin, why }
}

const randomExtension = (random: Random): Uint8Array =>
  random.chance(20) ? new Uint8Array(OVERSIZE_BYTES) : random.bytes(random.below(60))

export interface VoteLie {
  /** Undefined says nothing. */
  readonly vote: Vote | undefined
  /** Kept until the height is decided. */
  readonly isLate: boolean
}

/** `other` is the hash of some block that it knows of. */
export const lieInVote = (vote: Vote, other: Hex | undefined, validator: Validator, context: LiarContext): VoteLie => {
  const { random, lies, chainId } = context
  const { height, round } = vote
  if (vote.blockHash !== undefined && vote.type === 'precommit' && random.chance(lies.extensionPercent)) {
    const extension = randomExtension(random)
    const signed = validator.sign({ extension, height, round: random.chance(30) ? round + 1 : round, chainId })
    const extensionSignature = random.chance(20) ? random.bytes(random.below(80)) : signed
    return { vote: { ...vote, extension, extensionSignature }, isLate: random.chance(60) }
  }
  if (!random.chance(lies.votePercent)) return { vote, isLate: false }
  const kind = random.below(3)
  if (kind === 0) return { vote: undefined, isLate: false }
  if (kind === 1 && vote.type === 'precommit') return { vote, isLate: true }
  const blockHash = random.chance(50) ? undefined : other
  const none = { extension: EMPTY_BYTES, extensionSignature: EMPTY_BYTES }
  const timeNs = vote.timeNs + (random.chance(50) ? HOUR_NS : -HOUR_NS)
  return { vote: { ...vote, ...none, blockHash, timeNs }, isLate: false }
}
