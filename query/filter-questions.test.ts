/** Polls of filters beside workers that refuse. */
import { describe, expect, it } from 'vitest'
import { bytesToHex, type Hex } from '../core/hex.ts'
import { textToString } from '../core/text.ts'
import type { SignedTransaction } from '../evm/transaction/transaction.ts'
import { FilterQuestions } from './filter-questions.ts'
import type { ChainView } from './chain-view.ts'

const hashOf = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`

/** A pool that knows every transaction, and a worker who says how it answers. */
const createQuestions = (answer: (hashes: readonly Hex[]) => Promise<string>) => {
  let ids = 0
  return new FilterQuestions({
    settings: { filterTimeoutMs: 60_000, maxFilters: 100 },
    environment: { clock: { nowMs: () => 0, wallMs: () => 0 }, randomId: () => `0x${(++ids).toString(16)}` },
    view: () => ({}) as ChainView,
    heavy: () => Promise.reject(new Error('not asked here')),
    find: (hash) => ({ hash, raw: new Uint8Array(100) }) as unknown as SignedTransaction,
    describe: (transactions) => answer(transactions.map(({ hash }) => bytesToHex(hash))),
  })
}

describe('a filter of whole pending transactions', () => {
  it('tells with the next poll what a worker refused to describe', async () => {
    let isBusy = true
    const questions = createQuestions((hashes) =>
      isBusy ? Promise.reject(new Error('too many questions wait')) : Promise.resolve(JSON.stringify(hashes)),
    )
    const id = JSON.parse(questions.addPending({ full: true, client: 'a' })) as Hex
    const hashes = [1, 2, 3].map(hashOf)
    questions.notePending(hashes)
    await expect(questions.changes(id, 1)).rejects.toThrow('too many questions wait')
    isBusy = false
    expect(JSON.parse(textToString(await questions.changes(id, 1)))).toEqual(hashes)
    expect(JSON.parse(textToString(await questions.changes(id, 1)))).toEqual([])
  })

  it('gives two polls at once the same, and the next what came later', async () => {
    const questions = createQuestions((hashes) => Promise.resolve(JSON.stringify(hashes)))
    const id = JSON.parse(questions.addPending({ full: true, client: 'a' })) as Hex
    questions.notePending([hashOf(1)])
    const polls = [questions.changes(id, 1), questions.changes(id, 1)]
    questions.notePending([hashOf(2)])
    for (const poll of polls) expect(JSON.parse(textToString(await poll))).toEqual([hashOf(1)])
    expect(JSON.parse(textToString(await questions.changes(id, 1)))).toEqual([hashOf(2)])
  })
})
