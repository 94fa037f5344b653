/**
 * Consensus without CometBFT: drives applications in process through InitChain, rounds, votes, FinalizeBlock and
 * Commit in the orders that CometBFT may choose, and compares everything that they must agree on.
 */
import { expect } from 'vitest'
import type { Address } from '../../core/address.ts'
import { EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import type { ConsensusParameters, FinalizeBlockResponse, ProposedBlock } from '../../app/ports.ts'
import { DEFAULT_CONSENSUS_PARAMETERS } from '../../modules/consensus/index.ts'
import type { Misbehavior } from '../../modules/module.ts'
import type { Random } from './random.ts'
import { withStake } from './stake-genesis.ts'
import { BLOCK_STEPS } from '../../app/environment.ts'
import { Killed, type SimNode, type VirtualClock } from './sim-node.ts'
import { commitView, type Precommit, type Validator, ValidatorSets } from './validators.ts'

export const NANOSECONDS_PER_MILLISECOND = 1_000_000n
export const GENESIS_TIME_NS = 1_750_000_000_000_000_000n
/** The part of block.max_bytes that CometBFT keeps for the header, the commit and evidence. */
export const BLOCK_OVERHEAD_BYTES = 1_000

export interface ChainSetup {
  readonly chainId: string
  readonly appState: unknown
  /** The validators of the first block. */
  readonly validators: readonly Validator[]
  /** Accounts behind them, one each; some that nobody has a key of when left out. */
  readonly operators?: readonly Address[]
  readonly initialHeight?: number
  readonly maxGas?: number
  readonly maxBytes?: number
  /** 0 never turns vote extensions on. */
  readonly extensionsFrom?: number
  readonly genesisTimeNs?: bigint
  /** Heights after which evidence is too old. */
  readonly evidenceBlocks?: number
  /** All of them at once, of a chain that goes on. */
  readonly consensusParameters?: ConsensusParameters
}

/** How a node comes to know a decided block. */
export type Route = 'saw the proposal' | 'block sync' | 'finalize twice' | 'crash before commit'

export interface DecidedBlock {
  readonly block: ProposedBlock
  readonly response: FinalizeBlockResponse
}

export const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member instanceof Uint8Array ? bytesToHex(member) : member,
  )

/** Stands for CometBFT's hash of a block: any change of its content changes it. */
export const withHash = (content: Omit<ProposedBlock, 'hash'>): ProposedBlock => ({
  ...content,
  hash: sha256(utf8ToBytes(jsonOf(content))),
})

/** The same proposal with other transactions: what a faulty proposer sends. */
export const withTransactions = (
  { hash: _, ...content }: ProposedBlock,
  transactions: readonly Uint8Array[],
): ProposedBlock => withHash({ ...content, transactions })

export class Driver {
  readonly random: Random
  readonly setup: ChainSetup
  readonly nodes: readonly SimNode[]
  readonly clock: VirtualClock
  readonly decided: DecidedBlock[] = []
  readonly #genesisTimeNs: bigint
  /** Precommits of the last decided block, and the round in which it was decided. */
  #votes: readonly Precommit[] = []
  readonly #sets: ValidatorSets
  /** Addresses (hexadecimal) of validators that do not vote for the time being, as long as enough others do. */
  readonly away = new Set<string>()
  #lastRound = 0
  #timeNs: bigint
  #height: number
  /** The parameters as a block changed them. */
  #parameters: ConsensusParameters | undefined

  constructor(random: Random, setup: ChainSetup, nodes: readonly SimNode[], clock: VirtualClock) {
    this.random = random
    this.setup = setup
    this.nodes = nodes
    this.clock = clock
    this.#genesisTimeNs = setup.genesisTimeNs ?? GENESIS_TIME_NS
    this.#timeNs = this.#genesisTimeNs
    this.#height = (setup.initialHeight ?? 1) - 1
    this.#sets = new ValidatorSets(setup.validators)
  }

  /** A validator that a transaction may create must be able to vote. */
  addKey(validator: Validator): void {
    this.#sets.addKey(validator)
  }

  /** Everyone who is or may become a validator. */
  get keys(): Iterable<Validator> {
    return this.#sets.keys
  }

  /** Those whose votes decide a height. */
  validatorsAt(height: number): readonly Validator[] {
    return this.#sets.at(height)
  }

  /** Those of the last update, in force or not. */
  get newestValidators(): readonly Validator[] {
    return this.#sets.newest
  }

  /** The last decided height. */
  get height(): number {
    return this.#height
  }

  /** Time of the last decided block, or of the genesis. */
  get timeNs(): bigint {
    return this.#timeNs
  }

  get consensusParameters(): ConsensusParameters {
    const given = this.#parameters ?? this.setup.consensusParameters
    if (given !== undefined) return given
    const { maxGas, maxBytes, extensionsFrom, evidenceBlocks } = this.setup
    const { block, abci, evidence, ...rest } = DEFAULT_CONSENSUS_PARAMETERS
    return {
      ...rest,
      evidence: { ...evidence, maxAgeNumBlocks: evidenceBlocks ?? evidence.maxAgeNumBlocks },
      block: { maxBytes: maxBytes ?? block.maxBytes, maxGas: maxGas ?? block.maxGas },
      abci: { voteExtensionsEnableHeight: extensionsFrom ?? abci.voteExtensionsEnableHeight },
    }
  }

  /** InitChain on a node, `times` times over: CometBFT repeats it until the first block is committed. */
  async initChain(node: SimNode, times = 1): Promise<void> {
    for (let i = 0; i < times; i++) {
      expect(node.application.info().lastBlockHeight).toBe(0)
      await this.reinitialize(node)
    }
  }

  /** InitChain, as the protocol allows it or not. */
  async reinitialize(node: SimNode, appState: unknown = this.setup.appState): Promise<void> {
    await node.application.initChain({
      timeNs: this.#genesisTimeNs,
      chainId: this.setup.chainId,
      consensusParameters: this.consensusParameters,
      validators: this.setup.validators.map(({ publicKey, power }) => ({ publicKey, power })),
      appState: utf8ToBytes(JSON.stringify(withStake(appState, this.setup.validators, this.setup.operators))),
      initialHeight: this.setup.initialHeight ?? 1,
    })
  }

  async start(): Promise<void> {
    for (const node of this.nodes) await this.initChain(node, 1 + this.random.below(2))
  }

  proposerOf(round: number): Validator {
    const validators = this.validatorsAt(this.#height + 1)
    return validators[(this.#height + round) % validators.length] as Validator
  }

  /** A node's proposal for the next height: `advanceMs` after the last block. */
  async propose(
    node: SimNode,
    round = 0,
    advanceMs = 1 + this.random.below(1_500),
    misbehavior: readonly Misbehavior[] = [],
  ): Promise<ProposedBlock> {
    const first = this.#height + 1 === (this.setup.initialHeight ?? 1)
    const votes = commitView(this.#votes, () => this.random.chance(50))
    const shared = {
      height: this.#height + 1,
      // The first block has the time of the genesis; later ones are at least one millisecond apart.
      timeNs: first ? this.#timeNs : this.#timeNs + BigInt(advanceMs) * NANOSECONDS_PER_MILLISECOND,
      proposerAddress: this.proposerOf(round).address,
      nextValidatorsHash: sha256(utf8ToBytes('validators')),
      lastCommitRound: this.#lastRound,
      misbehavior,
    }
    const transactions = await node.application.prepareProposal({
      ...shared,
      votes,
      transactions: [],
      maxTxBytes: this.consensusParameters.block.maxBytes - BLOCK_OVERHEAD_BYTES,
    })
    const lastCommit = votes.map(({ validatorAddress, power, flag }) => ({ validatorAddress, power, flag }))
    return withHash({ ...shared, lastCommit, transactions })
  }

  /** ProcessProposal on every node that is up; honest nodes must agree. */
  async process(block: ProposedBlock, nodes: readonly SimNode[] = this.nodes): Promise<boolean> {
    const answers: boolean[] = []
    for (const node of nodes) answers.push(await node.application.processProposal(block))
    expect(new Set(answers).size, `nodes differ about a proposal of height ${block.height}`).toBe(1)
    return answers[0] === true
  }

  /** The block is decided in `round`: votes, FinalizeBlock and Commit on every node, by the route that is given. */
  async decide(
    block: ProposedBlock,
    round = 0,
    routeOf: (node: SimNode) => Route = () => 'saw the proposal',
  ): Promise<DecidedBlock> {
    this.#votes = this.#collectVotes(block, round)
    const responses: FinalizeBlockResponse[] = []
    for (const node of this.nodes) responses.push(await finalizeOrRise(node, block, routeOf(node)))
    const [response] = responses
    if (response === undefined) throw new RangeError('there are no nodes')
    for (const other of responses) expect(other).toEqual(response)
    expect(response.transactionResults.length).toBe(block.transactions.length)
    for (const node of this.nodes) {
      await commitOrRise(node, block)
      const { lastBlockHeight, lastBlockAppHash } = node.application.info()
      expect([lastBlockHeight, lastBlockAppHash]).toEqual([block.height, response.appHash])
    }
    this.#sets.update(block.height, response.validatorUpdates)
    this.#parameters = response.consensusParameterUpdates ?? this.#parameters
    this.#height = block.height
    this.#lastRound = round
    this.clock.nowMs += Number((block.timeNs - this.#timeNs) / NANOSECONDS_PER_MILLISECOND)
    this.#timeNs = block.timeNs
    const decided = { block, response }
    this.decided.push(decided)
    return decided
  }

  /** One height with an honest proposer and no failed round. */
  async step(
    node: SimNode = this.nodes[0] as SimNode,
    advanceMs?: number,
    misbehavior?: readonly Misbehavior[],
  ): Promise<DecidedBlock> {
    const block = await this.propose(node, 0, advanceMs, misbehavior)
    expect(await this.process(block), this.nodes.flatMap(({ warnings }) => warnings).at(-1)).toBe(true)
    return this.decide(block)
  }

  /** Feeds the decided blocks to a new node as block sync does: FinalizeBlock and Commit alone. */
  async replay(node: SimNode): Promise<void> {
    await this.initChain(node)
    for (const { block, response } of this.decided) {
      const again = await node.application.finalizeBlock(block)
      expect(again, `replay of height ${block.height}`).toEqual(response)
      await node.application.commit()
    }
  }

  /** More than two thirds of the power commit; of the rest some vote nil, are absent, or come late. */
  #collectVotes(block: ProposedBlock, round: number): readonly Precommit[] {
    const validators = this.validatorsAt(block.height)
    const total = validators.reduce((sum, { power }) => sum + power, 0n)
    let spare = total - 1n
    return validators.map((validator, index) => {
      const mayFail = validator.power * 3n <= spare
      const flag = mayFail ? this.#chooseFlag(validator) : 'commit'
      if (flag !== 'commit') spare -= validator.power * 3n
      return { validator, flag, ...this.#extend(validator, index, block, round, flag === 'late') }
    })
  }

  #chooseFlag({ address }: Validator): Precommit['flag'] {
    if (this.away.has(bytesToHex(address))) return 'absent'
    return this.random.chance(40) ? this.random.pick(['late', 'nil', 'absent'] as const) : 'commit'
  }

  #extend(validator: Validator, index: number, block: ProposedBlock, round: number, late: boolean) {
    const { height, hash } = block
    const enabledFrom = this.consensusParameters.abci.voteExtensionsEnableHeight
    if (enabledFrom === 0 || height < enabledFrom) return { extension: EMPTY_BYTES, extensionSignature: EMPTY_BYTES }
    const application = (this.nodes[index % this.nodes.length] as SimNode).application
    const honest = application.extendVote(block)
    // Some send what they like. Too long a one is refused by the others, and enters a commit only when it is late.
    const tooLong = late && this.random.chance(50)
    const extension = tooLong ? new Uint8Array(200_000) : this.random.chance(30) ? this.random.bytes(40) : honest
    for (const node of this.nodes) {
      const request = { height, hash, validatorAddress: validator.address, extension }
      expect(node.application.verifyVoteExtension(request)).toBe(!tooLong)
    }
    const { chainId } = this.setup
    return { extension, extensionSignature: validator.sign({ extension, height, round, chainId }) }
  }
}

/** A node that is killed on the way is started again, and CometBFT replays the block. */
const finalizeOrRise = async (node: SimNode, block: ProposedBlock, route: Route): Promise<FinalizeBlockResponse> => {
  try {
    return await finalizeBy(node, block, route)
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    await node.restart()
    expect(node.application.height).toBe(block.height - 1)
    return node.application.finalizeBlock(block)
  }
}

const FIRST_WRITTEN = BLOCK_STEPS.indexOf('commit-written')

const commitOrRise = async (node: SimNode, block: ProposedBlock): Promise<void> => {
  try {
    await node.application.commit()
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    await node.restart()
    const isWritten = BLOCK_STEPS.findIndex((step) => step === error.message) >= FIRST_WRITTEN
    expect(node.application.height).toBe(isWritten ? block.height : block.height - 1)
    if (isWritten) return
    await node.application.finalizeBlock(block)
    await node.application.commit()
  }
}

const finalizeBy = async (node: SimNode, block: ProposedBlock, route: Route): Promise<FinalizeBlockResponse> => {
  if (route === 'block sync') await node.restart()
  const response = await node.application.finalizeBlock(block)
  if (route === 'finalize twice') expect(await node.application.finalizeBlock(block)).toEqual(response)
  if (route !== 'crash before commit') return response
  await node.restart()
  // Only Commit persists: CometBFT replays the block after its handshake.
  expect(node.application.height).toBe(block.height - 1)
  return node.application.finalizeBlock(block)
}
