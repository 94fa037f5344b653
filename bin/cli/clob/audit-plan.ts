/** Rules 3 to 6: the votes of H oblige block H+1, and nothing of that is censored, inserted or reordered. */
import { equalBytes } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import { consensusAddress } from '../../../core/signature.ts'
import { CodedError } from '../../../core/errors.ts'
import { verifyExtensionSignature } from '../../../core/vote-extension.ts'
import { INJECTED_BYTE, readInjected } from '../../../app/attestations/injected.ts'
import type { Attestations } from '../../../modules/attestations.ts'
import {
  type BlockPlan,
  type Body,
  CLOB_TX_BYTE,
  type ClobParameters,
  decodeClobBody,
  type ListedId,
  planOfBlock,
} from '../../../modules/clob/index.ts'
import type { CommitVote } from '../../../modules/module.ts'
import type { Rule } from './audit-fault.ts'
import { COMMIT_FLAG, headerHash, totalPower } from './audit-light.ts'
import type { Block, Header, Member } from './audit-node.ts'

const MS = 1_000_000n

export interface BlockInHand {
  /** Header of H, verified, with its set. */
  readonly header: Header
  readonly members: readonly Member[]
  /** Block H+1, which is bound to its header. */
  readonly block: Block
  /** The ids that H carried on. */
  readonly carried: readonly ListedId[]
  /** Proven at H. */
  readonly parameters: ClobParameters
  /** The cap of the extensions of H, proven at H; undefined where the state of H says none. */
  readonly capBytes: number | undefined
  /** Whether the votes of H have extensions. */
  readonly hasVotes: boolean
}

export interface JudgedBlock {
  /** Undefined before extensions are enabled: there are no orders. */
  readonly plan: BlockPlan | undefined
  readonly powerLeftOut: bigint
}

export interface RuleFault {
  readonly rule: Rule
  readonly what: string
  /** True where the fault follows from the height from which on votes have extensions, which nothing proves. */
  readonly isByHeight?: boolean
}

const readBody = (raw: Uint8Array): Body => {
  const hash = sha256(raw)
  try {
    return { raw, hash, body: decodeClobBody(raw) }
  } catch (error) {
    if (error instanceof CodedError) return { raw, hash, body: undefined }
    throw error
  }
}

const votesOf = ({ block, members }: BlockInHand): readonly CommitVote[] | string => {
  const { signatures } = block.last_commit
  if (signatures.length !== members.length) {
    return `the last commit has ${signatures.length} votes of ${members.length} validators`
  }
  const votes: CommitVote[] = []
  for (const [index, { publicKey, power }] of members.entries()) {
    const { block_id_flag: code, validator_address } = signatures[index] ?? { block_id_flag: 1 }
    const address = consensusAddress(publicKey)
    if (code === COMMIT_FLAG && !equalBytes(validator_address ?? address, address)) {
      return 'a vote of the last commit is of another validator'
    }
    votes.push({
      validatorAddress: address,
      power,
      flag: code === COMMIT_FLAG ? 'commit' : code === 1 ? 'absent' : 'nil',
    })
  }
  return votes
}

const readVotes = (given: BlockInHand, lastCommit: readonly CommitVote[]): Attestations | string => {
  const { header, block, members, capBytes } = given
  if (capBytes === undefined) return `the state of ${header.height} has no cap of ${header.height}`
  const [first, ...others] = block.data.txs ?? []
  if (first === undefined || others.some((tx) => tx[0] === INJECTED_BYTE))
    return 'a second transaction begins with 0x71'
  return readInjected(first, {
    chainId: header.chain_id,
    height: header.height + 1,
    lastCommitRound: block.last_commit.round,
    lastCommit,
    validators: members,
    capBytes,
    verify: verifyExtensionSignature,
  })
}

/** What the plan makes of block H+1, or the rule that it breaks. */
export const judgeBlock = (given: BlockInHand): JudgedBlock | RuleFault => {
  const { header, block, members, carried, parameters, capBytes, hasVotes } = given
  const txs = block.data.txs ?? []
  const lastCommit = header.height === 0 ? [] : votesOf(given)
  if (typeof lastCommit === 'string') return { rule: 3, what: lastCommit }
  const commits = lastCommit.filter(({ flag }) => flag === 'commit')
  const powerLeftOut = totalPower(members) - commits.reduce((sum, { power }) => sum + power, 0n)
  if (!hasVotes) {
    const isEarly = txs.some(([byte]) => byte === CLOB_TX_BYTE || byte === INJECTED_BYTE)
    return isEarly
      ? { rule: 3, what: 'orders or extensions before they are enabled', isByHeight: true }
      : { plan: undefined, powerLeftOut }
  }
  if (txs[0]?.[0] !== INJECTED_BYTE) {
    return { rule: 3, what: 'the block does not begin with vote extensions', isByHeight: true }
  }
  const attestations = readVotes(given, lastCommit)
  if (typeof attestations === 'string') return { rule: 3, what: attestations }
  const plan = planOfBlock(
    {
      attestations,
      carried,
      timeOfHMs: Number(header.time / MS),
      salt: headerHash(header),
      parameters,
      capBytes: capBytes ?? 0,
      validators: members.length,
      readBody,
    },
    txs,
  )
  return 'fault' in plan ? { rule: 5, what: plan.fault } : { plan, powerLeftOut }
}
