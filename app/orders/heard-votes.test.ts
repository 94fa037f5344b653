/** Votes for blocks of one height: rounds may bring more than are kept. */
import { describe, expect, test } from 'vitest'
import { keyToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { idOf } from '../../modules/clob/index.ts'
import { HeardVotes } from './heard-votes.ts'

const block = (number: number) => sha256(Uint8Array.of(1, number))
const validator = (number: number): Uint8Array => new Uint8Array(20).fill(number)
const order = sha256(Uint8Array.of(2))
const powersAt = () => ({ powerOf: () => 1n, total: 4n })

const heard = (blocks: number, votesEach: number): HeardVotes => {
  const votes = new HeardVotes()
  for (let at = 1; at <= blocks; at++) {
    for (let voter = 1; voter <= votesEach; voter++) votes.note(7, block(at), validator(voter), Uint8Array.of(9))
  }
  return votes
}

describe('HeardVotes', () => {
  test('has the votes of a new block where the bound of blocks is reached', () => {
    const votes = heard(8, 2)
    const extension = keyToBytes(idOf(block(9), order))
    for (const voter of [1, 2]) votes.note(7, block(9), validator(voter), extension)
    expect(votes.blocks).toHaveLength(8)
    expect(votes.isAttested(order, powersAt)).toBe(true)
  })

  test('lets go the block with the fewest votes for a new one', () => {
    const votes = heard(7, 2)
    votes.note(7, block(8), validator(1), Uint8Array.of(9))
    votes.note(7, block(9), validator(1), Uint8Array.of(9))
    expect(votes.blocks.map(({ hash }) => hash)).toEqual([1, 2, 3, 4, 5, 6, 7, 9].map(block))
  })
})
