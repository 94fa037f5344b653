/** The committed vectors are those that the model makes, and the engine and its roots agree with them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { InvariantError } from '../../core/errors.ts'
import { Books } from '../../modules/clob/book/books.ts'
import * as keeper from '../../modules/clob/keeper/index.ts'
import type { Event } from '../../modules/module.ts'
import { bytesToUnprefixedHex } from '../../core/bytes.ts'
import { decodeClobBody } from '../../modules/clob/orders/index.ts'
import { bulkWorld, openBulkState } from './bulk.ts'
import { stepOn } from './engine.ts'
import { LEDGER } from './lines.ts'
import { addressOf } from './traffic.ts'
import { openCase, type MatchingCase } from './vector-world.ts'
import { matchingVectors, rootVectors, VECTOR_FOLDER } from './vectors.ts'

const read = (name: string): unknown => JSON.parse(readFileSync(join(VECTOR_FOLDER, name), 'utf8'))

describe('the vectors', () => {
  it('of matching are 200, as scripts/run.sh node test/clob/vectors.ts writes them', () => {
    const made = matchingVectors()
    expect(made.cases).toHaveLength(200)
    // Text is compared much faster than trees, and says as much where it is the same.
    expect(JSON.stringify(read('matching.json')) === JSON.stringify(made)).toBe(true)
  })

  it.each((read('matching.json') as { readonly cases: readonly MatchingCase[] }).cases)(
    'of matching are what the engine does: $name',
    (json) => {
      const { state } = openCase(json)
      const batch = json.batch.map(({ wire, listedPhase, signer }) => ({
        tx: wire === null ? undefined : decodeClobBody(Buffer.from(wire, 'hex')).tx,
        listedPhase,
        signer: signer ?? undefined,
      }))
      const events: Event[] = []
      const done = stepOn(Books.load(state, json.bounds), state, json, batch, events)
      const { results, queued, after, state: left } = json.expected
      expect(done.results.map(({ code, data }) => ({ code, data: bytesToUnprefixedHex(data) }))).toEqual(
        results.map(({ code, data }) => ({ code, data })),
      )
      const refused = queued.flatMap(({ code, orderSeq }, at) =>
        code !== 0 && orderSeq === '0' ? [`${at} ${code}`] : [],
      )
      const told = events.filter(({ type }) => type === 'order_rejected')
      expect(told.map(({ attributes: [place, , code] }) => `${place?.value} ${code?.value}`)).toEqual(refused)
      const digest = keeper.readAfter(state)
      expect(digest === undefined ? null : bytesToUnprefixedHex(digest)).toBe(after)
      for (const { market, bookRoot, sequence, blockPrice } of left.records) {
        const record = keeper.readRecord(state, market)
        expect(bytesToUnprefixedHex(record?.bookRoot ?? new Uint8Array(0))).toBe(bookRoot)
        expect([`${record?.sequence}`, `${record?.blockPriceTicks}`]).toEqual([sequence, blockPrice])
      }
      for (const [key, amount] of Object.entries(left.balances)) {
        const [owner = '', denom = ''] = key.split(' ')
        expect(`${LEDGER.balance(state, addressOf(owner), denom)}`, key).toBe(amount)
      }
    },
  )

  it('of roots are as it writes them', () => {
    expect(read('roots.json')).toEqual(JSON.parse(JSON.stringify(rootVectors())))
  })

  it('of roots are those by which the books start', () => {
    const { books } = rootVectors()
    for (const { orders, root } of books) {
      const state = openBulkState(bulkWorld())
      for (const { seq, value } of orders) keeper.writeOrder(state, 1, Number(seq), Buffer.from(value, 'hex'))
      const record = keeper.readRecord(state, 1)
      if (record === undefined) throw new RangeError('the market has a record')
      const bookRoot = Buffer.from(root, 'hex')
      keeper.writeRecord(state, 1, { ...record, openOrders: orders.length, bookRoot })
      expect(Books.load(state).market(1).orders.size).toBe(orders.length)
      keeper.writeRecord(state, 1, { ...record, openOrders: orders.length, bookRoot: bookRoot.toReversed() })
      expect(() => Books.load(state)).toThrow(InvariantError)
    }
  })
})
