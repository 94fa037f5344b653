/** What must hold whatever the network, the disks and the liars do. The first breach ends the run. */
import type { FinalizeBlockResponse } from '../../../app/ports.ts'
import { sha256 } from '../../../core/hash.ts'
import { bytesToHex, type Hex } from '../../../core/hex.ts'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { jsonOf } from '../driver.ts'
import { type Coins, isEqual, mintedAndBurned, shown, sumOf } from './coins.ts'
import type { Block, DecidedBlock } from './messages.ts'

export class Violation extends Error {
  override readonly name = 'Violation'
}

export const must = (holds: boolean, rule: string, detail: () => string): void => {
  if (!holds) throw new Violation(`${rule}: ${detail()}`)
}

/**
 * - `honest`: by the application of a node, unchanged: every node accepts it
 * - `odd`: altered by a liar, and perhaps valid all the same: every node says the same of it
 * - `invalid`: altered by a liar so that it cannot be valid: nobody accepts it
 */
export type Origin = 'honest' | 'odd' | 'invalid'

interface Outcome {
  readonly digest: Hex
  readonly appHash: Hex
  readonly response: FinalizeBlockResponse
  supply: ReadonlyMap<string, bigint> | undefined
}

export class Rules {
  readonly decided = new Map<number, DecidedBlock>()
  readonly #outcomes = new Map<number, Outcome>()
  readonly #origins = new Map<Hex, { readonly origin: Origin; readonly why: string }>()
  readonly #answers = new Map<Hex, boolean>()
  readonly accepted: Record<Origin, number> = { honest: 0, odd: 0, invalid: 0 }
  readonly rejected: Record<Origin, number> = { honest: 0, odd: 0, invalid: 0 }
  /** Checks of one block on one node. */
  commits = 0
  highest = 0

  proposed(block: Block, origin: Origin, why: string): void {
    // A liar may change nothing: the block is what it was.
    if (!this.#origins.has(block.hash)) this.#origins.set(block.hash, { origin, why })
  }

  /** What ProcessProposal, or CometBFT before it, said. */
  judged(node: string, block: Block, accepts: boolean, warning: string | undefined): void {
    const { origin, why } = this.#origins.get(block.hash) ?? { origin: 'invalid', why: 'of nobody' }
    const at = (): string =>
      `${node} at height ${block.content.height}, ${origin} (${why}): ${accepts} ${warning ?? ''}`
    if (origin === 'honest') must(accepts, 'every honest node accepts an honest proposal', at)
    if (origin === 'invalid') must(!accepts, 'no honest node accepts an invalid proposal', at)
    const known = this.#answers.get(block.hash)
    must(known === undefined || known === accepts, 'honest nodes say the same of a proposal', at)
    this.#answers.set(block.hash, accepts)
    ;(accepts ? this.accepted : this.rejected)[origin]++
  }

  decides(node: string, decided: DecidedBlock): void {
    const { block } = decided
    const { height } = block.content
    const known = this.decided.get(height)
    must(known === undefined || known.block.hash === block.hash, 'one block a height', () => `${node} at ${height}`)
    const origin = this.#origins.get(block.hash)
    must(origin?.origin !== 'invalid', 'no invalid block is decided', () => `${node} at ${height}: ${origin?.why}`)
    if (known === undefined) this.decided.set(height, decided)
    this.highest = Math.max(this.highest, height)
  }

  /** FinalizeBlock, also of a replay. */
  executed(node: string, block: Block, response: FinalizeBlockResponse): void {
    const { height, transactions } = block.content
    const results = response.transactionResults.length
    must(results === transactions.length, 'a result for each transaction', () => `${node} at ${height}: ${results}`)
    const digest = bytesToHex(sha256(utf8ToBytes(jsonOf(response))))
    const appHash = bytesToHex(response.appHash)
    const known = this.#outcomes.get(height)
    if (known === undefined) {
      this.#outcomes.set(height, { digest, appHash, response, supply: undefined })
      return
    }
    must(known.appHash === appHash, 'one app hash', () => `${node} at ${height}: ${appHash}, not ${known.appHash}`)
    must(
      known.digest === digest,
      'one response',
      () => `${node} at ${height}: ${jsonOf(response)}, not ${jsonOf(known.response)}`,
    )
  }

  /** Called after Commit, or a start: the node says that it holds this height. */
  holds(node: string, height: number, appHash: Uint8Array): void {
    this.commits++
    const known = this.#outcomes.get(height)
    const [held, expected] = [bytesToHex(appHash), known?.appHash]
    must(held === expected, 'one app hash', () => `${node} says ${held} of ${height}, not ${expected}`)
  }

  /** Checks the coins of the state after a height. */
  coins(node: string, height: number, coins: Coins): void {
    const { held, supply } = coins
    must(
      isEqual(held, supply),
      'the supply is the sum of all balances',
      () => `${node} at ${height}: ${shown(held)}, not ${shown(supply)}`,
    )
    const outcome = this.#outcomes.get(height)
    if (outcome === undefined) return
    const before = this.#outcomes.get(height - 1)?.supply
    outcome.supply ??= new Map(supply)
    if (before === undefined) return
    const expected = sumOf(new Map(before), mintedAndBurned(outcome.response.events))
    must(
      isEqual(supply, expected),
      'coins come and go as modules say',
      () => `${node} at ${height}: ${shown(supply)}, not ${shown(expected)}`,
    )
  }

  outcome(height: number): Outcome | undefined {
    return this.#outcomes.get(height)
  }
}
