/** What owners can spend while a step runs: what state had of it when the step began, and what the step did to it. */
import type { Address } from '../../../core/address.ts'
import { invariant } from '../../../core/errors.ts'

export interface Purse {
  readonly owner: Address
  readonly denom: string
  /** The balance in state, before the step; undefined until it is asked for. */
  balance: bigint | undefined
  /** Credited less locked by this step. */
  net: bigint
}

/** All purses of a step. Changes since `mark` can be taken back. */
export class Purses {
  readonly #balanceOf: (owner: Address, denom: string) => bigint
  readonly #all: Purse[] = []
  #journal: (readonly [Purse, bigint])[] = []

  constructor(balanceOf: (owner: Address, denom: string) => bigint) {
    this.#balanceOf = balanceOf
  }

  open(owner: Address, denom: string): Purse {
    const purse: Purse = { owner, denom, balance: undefined, net: 0n }
    this.#all.push(purse)
    return purse
  }

  available(purse: Purse): bigint {
    purse.balance ??= this.#balanceOf(purse.owner, purse.denom)
    return purse.balance + purse.net
  }

  /** A negative amount is locked. */
  move(purse: Purse, amount: bigint): void {
    purse.net += amount
    this.#journal.push([purse, amount])
  }

  /** What is done from now on can be taken back. */
  mark(): void {
    this.#journal = []
  }

  takeBack(): void {
    for (const [purse, amount] of this.#journal) purse.net -= amount
    this.#journal = []
  }

  /** What the owners give into escrow, and what they get out of it: each purse once, in the order in which they were met. */
  entries(): { readonly escrowed: readonly Entry[]; readonly settled: readonly Entry[] } {
    const [escrowed, settled]: [Entry[], Entry[]] = [[], []]
    for (const { owner, denom, net, balance } of this.#all) {
      if (net < 0n) {
        invariant(balance !== undefined && balance + net >= 0n, 'nobody locks more than it has')
        escrowed.push({ owner, denom, amount: -net })
      } else if (net > 0n) settled.push({ owner, denom, amount: net })
    }
    return { escrowed, settled }
  }
}

interface Entry {
  readonly owner: Address
  readonly denom: string
  readonly amount: bigint
}
