/**
 * CometBFT's consensus, simplified: rounds of propose, prevote and precommit with locks, as v0.38 and v0.40 run them
 * (internal/consensus/state.go). The same calls reach the application in the same order: PrepareProposal of a proposer
 * without a block of its own, ProcessProposal before a prevote, ExtendVote with a precommit for a block, VerifyVoteExtension
 * of the votes of others but for late ones, and a block may be decided before this node has judged it.
 */
import type { Hex } from '../../../core/hex.ts'
import type { Validator } from '../validators.ts'
import {
  addressOf,
  type Block,
  type Commit,
  type DecidedBlock,
  isExtensionSigned,
  powerOf,
  type Proposal,
  type Step,
  tally,
  type Timeout,
  type Vote,
} from './messages.ts'

/** What the state machine needs of its node. Calls of the application may throw Killed. */
export interface ConsensusPort {
  readonly self: Hex
  readonly chainId: string
  validatorsAt(height: number): readonly Validator[]
  hasExtensions(height: number): boolean
  /** PrepareProposal, and the block around it. */
  makeBlock(height: number, round: number, lastCommit: Commit | undefined): Promise<Block>
  /** CometBFT's own checks, then ProcessProposal. */
  isAcceptable(block: Block): Promise<boolean>
  isExtensionTaken(vote: Vote): boolean
  /** Undefined where this key has signed something else already, or nothing at all is to be said. */
  signVote(type: Vote['type'], height: number, round: number, block: Block | undefined): Vote | undefined
  signProposal(proposal: Proposal): Proposal | undefined
  /** Tells all others. */
  tell(message: { readonly proposal: Proposal } | { readonly vote: Vote }): void
  schedule(timeout: Timeout): void
  /** CometBFT's log has what this node says before anybody hears it. */
  logOwn(input: Input): void
  noteConflict(one: Vote, other: Vote): void
  /** Saves the block, then FinalizeBlock and Commit. */
  decide(decided: DecidedBlock): Promise<void>
}

export type Input =
  | { readonly proposal: Proposal }
  | { readonly vote: Vote }
  | { readonly timeout: Timeout }
  | { readonly decided: DecidedBlock }

interface Held {
  readonly round: number
  readonly block: Block
}

export class Consensus {
  readonly #port: ConsensusPort
  readonly height: number
  round = -1
  #step: Step = 'newHeight'
  #locked: Held | undefined
  #valid: Held | undefined
  readonly #proposals = new Map<number, Proposal>()
  readonly #blocks = new Map<Hex, Block>()
  readonly #votes = new Map<string, Map<Hex, Vote>>()
  readonly #scheduled = new Set<string>()
  /** Precommits of the height before: late ones join as long as no round has begun. */
  #lastCommit: Commit | undefined
  readonly #own: Input[] = []
  isOver = false

  constructor(port: ConsensusPort, height: number, lastCommit: Commit | undefined) {
    this.#port = port
    this.height = height
    this.#lastCommit = lastCommit
    port.schedule({ height, round: -1, step: 'newHeight' })
  }

  /** Prints the state for whoever looks for the reason of a halt. */
  toString(): string {
    const votes = [...this.#votes].map(
      ([key, each]) =>
        `${key} [${[...each.values()].map(({ validator, blockHash }) => `${validator.slice(2, 6)}:${blockHash?.slice(2, 6)}`).join(' ')}]`,
    )
    const held = (each: Held | undefined): string =>
      each === undefined ? 'none' : `${each.round}:${each.block.hash.slice(2, 6)}`
    return `round ${this.round} ${this.#step}, locked ${held(this.#locked)}, valid ${held(this.#valid)}, ${votes.slice(-6).join('; ')}`
  }

  get proposals(): Iterable<Proposal> {
    return this.#proposals.values()
  }

  get votes(): readonly Vote[] {
    return [...this.#votes.values()].flatMap((votes) => [...votes.values()])
  }

  async input(input: Input): Promise<void> {
    this.#own.push(input)
    for (let next = this.#own.shift(); next !== undefined && !this.isOver; next = this.#own.shift()) {
      await this.#take(next)
      await this.#advance()
    }
  }

  async #take(input: Input): Promise<void> {
    if ('proposal' in input) this.#takeProposal(input.proposal)
    else if ('vote' in input) this.#takeVote(input.vote)
    else if ('timeout' in input) await this.#timeOut(input.timeout)
    else await this.#takeDecided(input.decided)
  }

  proposerOf(round: number): Hex {
    const validators = this.#port.validatorsAt(this.height)
    return addressOf(validators[(this.height + round) % validators.length] as Validator)
  }

  #takeProposal(proposal: Proposal): void {
    const { height, round, block, proposer, polRound } = proposal
    if (height !== this.height || proposer !== this.proposerOf(round) || polRound >= round) return
    if (this.#proposals.has(round)) return
    this.#proposals.set(round, proposal)
    this.#blocks.set(block.hash, block)
  }

  #takeVote(vote: Vote): void {
    if (vote.height === this.height - 1) this.#takeLate(vote)
    if (vote.height !== this.height) return
    const validator = this.#port.validatorsAt(this.height).find((each) => addressOf(each) === vote.validator)
    if (validator === undefined) return
    const votes = this.#votesOf(vote.round, vote.type)
    const known = votes.get(vote.validator)
    if (known !== undefined) {
      if (known.blockHash !== vote.blockHash && vote.validator !== this.#port.self) this.#port.noteConflict(known, vote)
      return
    }
    if (vote.type === 'precommit' && vote.blockHash !== undefined && this.#port.hasExtensions(this.height)) {
      if (!isExtensionSigned(vote, validator, this.#port.chainId)) return
      if (vote.validator !== this.#port.self && !this.#port.isExtensionTaken(vote)) return
    }
    votes.set(vote.validator, vote)
  }

  /** Nobody asks the application of its extension, and here not even its signature is looked at. */
  #takeLate(vote: Vote): void {
    const commit = this.#lastCommit
    if (this.#step !== 'newHeight' || vote.type !== 'precommit' || vote.round !== commit?.round) return
    const validators = this.#port.validatorsAt(commit.height)
    const index = validators.findIndex((each) => addressOf(each) === vote.validator)
    if (index < 0 || commit.votes[index] !== undefined) return
    this.#lastCommit = { ...commit, votes: validators.map((_, at) => (at === index ? vote : commit.votes[at])) }
  }

  #votesOf(round: number, type: Vote['type']): Map<Hex, Vote> {
    const key = `${round} ${type}`
    const votes = this.#votes.get(key) ?? new Map<Hex, Vote>()
    this.#votes.set(key, votes)
    return votes
  }

  #tally(round: number, type: Vote['type']) {
    return tally(this.#votes.get(`${round} ${type}`), this.#port.validatorsAt(this.height))
  }

  #isTwoThirds(power: bigint): boolean {
    return power * 3n > powerOf(this.#port.validatorsAt(this.height)) * 2n
  }

  async #timeOut({ height, round, step }: Timeout): Promise<void> {
    if (height !== this.height || round !== this.round || step !== this.#step) return
    if (step === 'newHeight') await this.#startRound(0)
    else if (step === 'propose') await this.#prevote()
    else if (step === 'prevote') await this.#precommit(undefined)
    else await this.#startRound(round + 1)
  }

  async #startRound(round: number): Promise<void> {
    this.round = round
    this.#step = 'propose'
    this.#port.schedule({ height: this.height, round, step: 'propose' })
    if (this.proposerOf(round) !== this.#port.self) return
    const block = this.#valid?.block ?? (await this.#port.makeBlock(this.height, round, this.#lastCommit))
    const made = { height: this.height, round, block, polRound: this.#valid?.round ?? -1, proposer: this.#port.self }
    const proposal = this.#port.signProposal(made)
    if (proposal === undefined) return
    this.#port.logOwn({ proposal })
    this.#own.push({ proposal })
    this.#port.tell({ proposal })
  }

  /** Goes on until nothing changes. */
  async #advance(): Promise<void> {
    for (;;) {
      if (this.isOver || (await this.#tryDecide()) || this.#step === 'newHeight') return
      const skipped = this.#roundAhead()
      if (skipped !== undefined) {
        await this.#startRound(skipped)
        continue
      }
      if (!(await this.#tryStep())) return
    }
  }

  /** A later round in which two thirds vote. */
  #roundAhead(): number | undefined {
    let most: number | undefined
    for (const key of this.#votes.keys()) {
      const [round, type] = key.split(' ') as [string, Vote['type']]
      const isAhead = Number(round) > (most ?? this.round)
      if (isAhead && this.#isTwoThirds(this.#tally(Number(round), type).any)) most = Number(round)
    }
    return most
  }

  async #tryStep(): Promise<boolean> {
    const prevotes = this.#tally(this.round, 'prevote')
    this.#notePolka(prevotes.majority?.blockHash)
    if (this.#step === 'propose') {
      const proposal = this.#proposals.get(this.round)
      const polRound = proposal?.polRound ?? -1
      const hasPolka = polRound < 0 || this.#tally(polRound, 'prevote').majority?.blockHash === proposal?.block.hash
      const isComplete = proposal !== undefined && hasPolka
      if (!isComplete && prevotes.majority === undefined) return false
      await this.#prevote()
      return true
    }
    if (this.#step === 'prevote') {
      if (prevotes.majority !== undefined) {
        await this.#precommit(prevotes.majority)
        return true
      }
      if (this.#isTwoThirds(prevotes.any)) this.#scheduleOnce('prevote')
      return false
    }
    if (this.#isTwoThirds(this.#tally(this.round, 'precommit').any)) this.#scheduleOnce('precommit')
    return false
  }

  /** Two thirds prevoted for something: what this node would propose, and no other lock holds. */
  #notePolka(hash: Hex | undefined): void {
    if (hash === undefined) return
    const isOther = this.#locked !== undefined && this.#locked.round < this.round && this.#locked.block.hash !== hash
    if (isOther) this.#locked = undefined
    const block = this.#blocks.get(hash)
    if (block !== undefined && (this.#valid?.round ?? -1) < this.round) this.#valid = { round: this.round, block }
  }

  #scheduleOnce(step: Step): void {
    const key = `${this.round} ${step}`
    if (this.#scheduled.has(key)) return
    this.#scheduled.add(key)
    this.#port.schedule({ height: this.height, round: this.round, step })
  }

  async #prevote(): Promise<void> {
    this.#step = 'prevote'
    const proposed = this.#proposals.get(this.round)?.block
    const block = this.#locked?.block ?? proposed
    const isGood = block !== undefined && (this.#locked !== undefined || (await this.#port.isAcceptable(block)))
    this.#say('prevote', isGood ? block : undefined)
  }

  async #precommit(majority: { readonly blockHash: Hex | undefined } | undefined): Promise<void> {
    this.#step = 'precommit'
    if (majority === undefined) return this.#say('precommit', undefined)
    const block = majority.blockHash === undefined ? undefined : this.#blocks.get(majority.blockHash)
    this.#locked = block === undefined ? undefined : { round: this.round, block }
    this.#say('precommit', block)
  }

  #say(type: Vote['type'], block: Block | undefined): void {
    const vote = this.#port.signVote(type, this.height, this.round, block)
    if (vote === undefined) return
    this.#port.logOwn({ vote })
    this.#own.push({ vote })
    this.#port.tell({ vote })
  }

  async #tryDecide(): Promise<boolean> {
    for (const [key, votes] of this.#votes) {
      const [round, type] = key.split(' ') as [string, Vote['type']]
      if (type !== 'precommit') continue
      const blockHash = this.#tally(Number(round), type).majority?.blockHash
      const block = blockHash === undefined ? undefined : this.#blocks.get(blockHash)
      if (block === undefined) continue
      const inOrder = this.#port.validatorsAt(this.height).map((validator) => votes.get(addressOf(validator)))
      await this.#decide({
        block,
        commit: { height: this.height, round: Number(round), blockHash: block.hash, votes: inOrder },
      })
      return true
    }
    return false
  }

  /** A peer is ahead: the block with its commit, as block sync and catching up bring it. */
  async #takeDecided({ block, commit }: DecidedBlock): Promise<void> {
    if (commit.height !== this.height || commit.blockHash !== block.hash) return
    const validators = this.#port.validatorsAt(this.height)
    const votes = validators.map((validator, index) => this.#checkedVote(commit.votes[index], validator))
    const signed = validators.filter((_, index) => votes[index]?.blockHash === block.hash)
    if (this.#isTwoThirds(powerOf(signed))) await this.#decide({ block, commit: { ...commit, votes } })
  }

  /** Undefined where its extension does not hold. */
  #checkedVote(vote: Vote | undefined, validator: Validator): Vote | undefined {
    if (vote?.validator !== addressOf(validator) || vote.blockHash === undefined) return vote
    if (!this.#port.hasExtensions(this.height)) return vote
    return isExtensionSigned(vote, validator, this.#port.chainId) ? vote : undefined
  }

  async #decide(decided: DecidedBlock): Promise<void> {
    this.isOver = true
    await this.#port.decide(decided)
  }
}
