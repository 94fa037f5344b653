/** Validators that signed two things: whoever sees both has a proof, and the next proposers put it into a block once. */
import { hexToBytes, type Hex } from '../../../core/hex.ts'
import type { Misbehavior } from '../../../modules/module.ts'
import type { ValidatorSets } from '../validators.ts'
import { addressOf, evidenceKey, powerOf, type DecidedBlock } from './messages.ts'

interface Known {
  readonly validator: Hex
  readonly height: number
  includedAt: number | undefined
}

export class Evidence {
  readonly #known = new Map<string, Known>()
  readonly #sets: ValidatorSets
  readonly #decided: ReadonlyMap<number, DecidedBlock>

  constructor(sets: ValidatorSets, decided: ReadonlyMap<number, DecidedBlock>) {
    this.#sets = sets
    this.#decided = decided
  }

  get size(): number {
    return this.#known.size
  }

  note(validator: Hex, height: number): void {
    const key = `${validator} ${height}`
    if (!this.#known.has(key)) this.#known.set(key, { validator, height, includedAt: undefined })
  }

  /** What a proposer of a height may bring: CometBFT waits until the height of the fault is decided. */
  pendingAt(height: number): readonly Misbehavior[] {
    return [...this.#known.values()].flatMap((known) => {
      const isFresh = known.includedAt === undefined || known.includedAt >= height
      const block = this.#decided.get(known.height)?.block
      const set = this.#sets.at(known.height)
      const validator = set.find((each) => addressOf(each) === known.validator)
      if (!isFresh || known.height >= height || block === undefined || validator === undefined) return []
      return [
        {
          type: 'duplicate-vote',
          validatorAddress: hexToBytes(known.validator),
          power: validator.power,
          height: known.height,
          timeNs: block.content.timeNs,
          totalPower: powerOf(set),
        } as const,
      ]
    })
  }

  /** Time and powers must be those of the fault, too (CometBFT, evidence/verify.go): a liar may name one that is true by chance. */
  isTrue(misbehavior: Misbehavior, height: number): boolean {
    const key = evidenceKey(misbehavior)
    return this.pendingAt(height).some(
      (each) =>
        evidenceKey(each) === key &&
        each.power === misbehavior.power &&
        each.totalPower === misbehavior.totalPower &&
        each.timeNs === misbehavior.timeNs,
    )
  }

  include(misbehaviors: readonly Misbehavior[], height: number): void {
    for (const misbehavior of misbehaviors) {
      const known = this.#known.get(evidenceKey(misbehavior))
      if (known !== undefined) known.includedAt = height
    }
  }
}
