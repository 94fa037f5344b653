/** What state keeps of a proposer: a stop needs no reason that can be proven, so it is accounted for. */

export interface ProposerRecord {
  /** Blocks of this proposer that stopped at an id whose body they did not have. */
  readonly stops: number
  /** How many of these stops were at an id that more than two thirds of the power had attested. */
  readonly missingButWidelyAttested: number
}
