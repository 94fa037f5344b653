/** nat.clob.v1.Batches: votes, obligations and plan of a stored block. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { readAttestations, INJECTED_BYTE } from '../../app/attestations/injected.ts'
import { readBlockContent } from '../../app/index/finalize-request.ts'
import { planInputOf, toMilliseconds } from '../../app/orders/block-plan.ts'
import { ordersAnew } from '../../app/orders/live-batch.ts'
import { bytesToKey, keyToBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { Attestations } from '../../modules/attestations.ts'
import { decodeAttestations, listOfBlock, type ListedId, planOfBlock } from '../../modules/clob/index.ts'
import { queryRefusal } from '../../modules/sdk-errors.ts'
import { formatConsensusAddress } from '../../modules/validator-addresses.ts'
import { clobBatches } from '../../proto/index.ts'
import { type ChainView, firstHeight, requireHeight } from '../chain-view.ts'

const { PlanOutcome } = clobBatches

type Vote = Attestations['votes'][number]

const voteForm = (
  { validatorAddress, power, isSigned, extension }: Vote,
  timeOfHMs: number,
): MessageInitShape<typeof clobBatches.BatchVoteSchema> => ({
  validator: formatConsensusAddress(validatorAddress),
  power: power.toString(),
  isSigned,
  attestations: (extension === undefined ? [] : (decodeAttestations(extension.attestations) ?? [])).map(
    ({ id, phase, dtMs }) => ({ id: keyToBytes(id), phase, timeMs: BigInt(timeOfHMs + dtMs) }),
  ),
})

/** An id may stand in the list once carried and once attested anew, in two phases: all of it tells one from another. */
const nameOf = ({ id, phase, salt }: ListedId): string => `${id} ${phase} ${bytesToKey(salt)}`

/** Throws grpc/5 for a height that is to come or pruned. */
export const batchOf = (view: ChainView, asked: bigint): MessageInitShape<typeof clobBatches.BatchResponseSchema> => {
  const height = asked === 0n ? view.head : Number(asked)
  if (asked > BigInt(view.head) || height <= firstHeight(view)) {
    throw queryRefusal(
      'notFound',
      `the batch of block ${asked} is not here: this node has those above ${firstHeight(view)}`,
    )
  }
  requireHeight(view, { number: height - 1 })
  const content = readBlockContent(view.reader.store, height)
  const below = view.reader.header(height - 1)
  if (content === undefined || below === undefined) {
    throw queryRefusal('notFound', `block ${height} is not here any more`)
  }
  const { transactions, proposerAddress } = content
  const [first] = transactions
  const proposer = formatConsensusAddress(proposerAddress)
  if (first?.[0] !== INJECTED_BYTE) {
    const none = content.lastCommit.reduce((sum, { power }) => sum + power, 0n)
    return { height: BigInt(height), proposer, totalPower: none.toString(), votes: [], plan: [] }
  }
  const { parameters } = view
  const state = view.stateAt(height - 1)
  // Its signatures were verified before the block was executed.
  const attestations = readAttestations({ parameters, state, verifyExtension: () => true }, content, first)
  invariant(typeof attestations !== 'string', 'a stored block holds the votes that it was decided with')
  view.interrupt()
  const input = planInputOf({ state, head: { record: below } }, content, attestations, ordersAnew(parameters).readBody)
  const known = listOfBlock(input)
  view.interrupt()
  const plan = planOfBlock(input, transactions, known)
  view.interrupt()
  const taken = new Map('fault' in plan ? [] : plan.taken.map(({ listed, body }) => [nameOf(listed), body.hash]))
  const carried = new Set('fault' in plan ? [] : plan.carried.map(nameOf))
  const missing = 'fault' in plan || plan.missing === undefined ? undefined : nameOf(plan.missing)
  const outcomeOf = (name: string): clobBatches.PlanOutcome => {
    if (taken.has(name)) return PlanOutcome.TAKEN
    if (name === missing) return PlanOutcome.MISSING
    return carried.has(name) ? PlanOutcome.CARRIED : PlanOutcome.LEFT
  }
  return {
    height: BigInt(height),
    proposer,
    totalPower: attestations.totalPower.toString(),
    votes: attestations.votes.map((vote) => {
      view.interrupt()
      return voteForm(vote, toMilliseconds(below.timeNs))
    }),
    plan: known.list.map((listed) => {
      const name = nameOf(listed)
      const hash = taken.get(name)
      return {
        ...{ id: keyToBytes(listed.id), phase: listed.phase, age: listed.age },
        timeMs: 'timeMs' in listed ? BigInt(listed.timeMs as number) : 0n,
        ...{ isWidelyAttested: listed.isWidelyAttested, outcome: outcomeOf(name) },
        ...(hash === undefined ? {} : { txHash: hash }),
      }
    }),
  }
}
