/** What committed blocks and arriving transactions add to the figures of a node. */
import { bytesToHex } from '../../../core/hex.ts'
import { CodedError } from '../../../core/errors.ts'
import { LATENCY_SECONDS, type Meter } from '../../../core/meter.ts'
import type { SealedBlock } from '../../../app/block/candidate.ts'
import type { TransactionOutcome } from '../../../app/block/transaction.ts'
import type { NodeWitness } from '../runtime/node-witness.ts'

const NANOSECONDS = 1e9
const INTERVAL_SECONDS: readonly number[] = [0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 5, 10, 30, 60]
const BLOCK_TRANSACTIONS: readonly number[] = [0, 1, 10, 100, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000]

type Families = Parameters<NodeWitness['committed']>[1]

/** The receipt of an Ethereum transaction says whether it succeeded: to CometBFT also one that was reverted has the code 0. */
const outcomeOf = (outcome: TransactionOutcome | undefined, code: number): string => {
  if (outcome?.kind !== 'applied') return 'invalid'
  if (outcome.ethereum !== undefined) return outcome.ethereum.receipt.succeeded ? 'succeeded' : 'failed'
  return code === 0 ? 'succeeded' : 'failed'
}

const weightOf = (outcomes: readonly TransactionOutcome[]): number =>
  outcomes.reduce((sum, outcome) => sum + (outcome.kind === 'applied' ? outcome.weight : 0), 0)

const declare = (meter: Meter) => ({
  interval: meter.histogram({
    name: 'nat_block_interval_seconds',
    help: 'Time between a block and the one before it, by their headers',
    buckets: INTERVAL_SECONDS,
  }),
  size: meter.histogram({
    name: 'nat_block_transactions',
    help: 'Transactions of a block, of all families',
    buckets: BLOCK_TRANSACTIONS,
  }),
  transactions: meter.counter({
    name: 'nat_transactions_total',
    help: 'Transactions in committed blocks by family and outcome (succeeded, failed, invalid)',
    labels: ['family', 'outcome'],
  }),
  gas: meter.counter({ name: 'nat_gas_used_total', help: 'Gas that committed blocks used, of all families' }),
  weight: meter.counter({
    name: 'nat_weight_used_total',
    help: 'Weight of committed blocks, in nanoseconds of the reference processor',
  }),
  logs: meter.counter({ name: 'nat_logs_total', help: 'EVM logs of committed blocks' }),
  bytes: meter.counter({ name: 'nat_block_bytes_total', help: 'Bytes of the transactions of committed blocks' }),
  writes: meter.counter({
    name: 'nat_state_changes_total',
    help: 'What committed blocks changed of the state: accounts, slots, values of modules, codes, trie nodes',
    labels: ['kind'],
  }),
  proposals: meter.counter({
    name: 'nat_proposals_total',
    help: 'Proposals that this node judged, by outcome (accepted, rejected)',
    labels: ['outcome'],
  }),
  votes: meter.counter({
    name: 'nat_validator_votes_total',
    help: 'Votes of last commits by validator: included with an extension, left_out by the proposer, nil, absent',
    labels: ['validator', 'vote'],
  }),
  extensionBytes: meter.counter({
    name: 'nat_vote_extension_bytes_total',
    help: 'Bytes of the transactions that carry vote extensions',
  }),
  stops: meter.counter({
    name: 'nat_clob_stops_total',
    help: 'Blocks that stopped before the end of the list of orders, by the proposer who left one out',
    labels: ['proposer'],
  }),
  fills: meter.counter({ name: 'nat_clob_fills_total', help: 'Fills of the order book in committed blocks' }),
  admissions: meter.counter({
    name: 'nat_pool_arrivals_total',
    help: 'What came to a pool (transactions, orders), by origin, and admitted or the code of the refusal',
    labels: ['pool', 'origin', 'result'],
  }),
  admission: meter.histogram({
    name: 'nat_pool_admission_seconds',
    help: 'Time from the arrival of a transaction or an order until it was journaled, or refused',
    labels: ['pool'],
    buckets: LATENCY_SECONDS,
  }),
})

export class BlockFigures implements NodeWitness {
  readonly #figures: ReturnType<typeof declare>
  readonly #nowMs: () => number
  #timeNs: bigint | undefined

  constructor(meter: Meter, nowMs: () => number) {
    this.#figures = declare(meter)
    this.#nowMs = nowMs
  }

  arrived: NodeWitness['arrived'] = (pool, origin) => {
    const fromMs = this.#nowMs()
    return (result) => {
      const { admissions, admission } = this.#figures
      const text = result instanceof CodedError ? `${result.codespace}/${result.code}` : 'admitted'
      admissions.add(1, pool, origin, text)
      admission.observe((this.#nowMs() - fromMs) / 1_000, pool)
    }
  }

  judged(isAccepted: boolean): void {
    this.#figures.proposals.add(1, isAccepted ? 'accepted' : 'rejected')
  }

  committed(block: SealedBlock, families: Families): void {
    const { record, candidate } = block
    const { content, outcomes, response } = candidate
    const { gas, weight, logs, bytes, size } = this.#figures
    if (this.#timeNs !== undefined) {
      this.#figures.interval.observe(Number(record.timeNs - this.#timeNs) / NANOSECONDS)
    }
    this.#timeNs = record.timeNs
    size.observe(content.transactions.length)
    gas.add(Number(outcomes.reduce((sum, each) => sum + (each.kind === 'applied' ? each.gasUsed : 0n), 0n)))
    weight.add(weightOf(outcomes))
    logs.add(candidate.logCount)
    bytes.add(content.transactions.reduce((sum, { length }) => sum + length, 0))
    this.#countTransactions(content.transactions, outcomes, response.transactionResults, families)
    this.#countChanges(candidate.commitment)
    this.#countVotes(block)
    const { batch } = candidate
    if (batch?.isStopped === true) this.#figures.stops.add(1, bytesToHex(content.proposerAddress))
    this.#figures.fills.add(batch?.told?.records.filter(({ kind }) => kind === 'fill').length ?? 0)
  }

  /** Counts once for each kind: a block has thousands of transactions and a handful of kinds. */
  #countTransactions(
    raws: readonly Uint8Array[],
    outcomes: readonly TransactionOutcome[],
    results: readonly { readonly code: number }[],
    families: Families,
  ): void {
    const counts = new Map<string, number>()
    for (const [index, raw] of raws.entries()) {
      const key = `${families.of(raw).name} ${outcomeOf(outcomes[index], results[index]?.code ?? 0)}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    for (const [key, count] of counts) {
      const [family = '', outcome = ''] = key.split(' ')
      this.#figures.transactions.add(count, family, outcome)
    }
  }

  #countChanges({ accounts, slots, values, codes, nodes }: SealedBlock['candidate']['commitment']): void {
    const { writes } = this.#figures
    writes.add(accounts.length, 'account')
    writes.add(slots.length, 'slot')
    writes.add(values.length, 'value')
    writes.add(codes.size, 'code')
    writes.add(nodes.size, 'trie_node')
  }

  #countVotes({ candidate: { content, outcomes } }: SealedBlock): void {
    const { votes, extensionBytes } = this.#figures
    const [first] = outcomes
    const attested = first?.kind === 'applied' ? first.attestations : undefined
    if (attested !== undefined) extensionBytes.add(content.transactions[0]?.length ?? 0)
    const signed = new Map(attested?.votes.map((vote) => [bytesToHex(vote.validatorAddress), vote.isSigned]))
    for (const { validatorAddress, flag } of content.lastCommit) {
      const validator = bytesToHex(validatorAddress)
      const included = attested === undefined || signed.get(validator) === true
      votes.add(1, validator, flag === 'commit' ? (included ? 'included' : 'left_out') : flag)
    }
  }
}
