/** Traffic is worth its time: over a few hundred seeds the model meets every code and every kind of record, and keeps its promises. */
import { describe, expect, it } from 'vitest'
import { checkStep } from './model/properties.ts'
import { makeRun, modelStep } from './runs.ts'

const SEEDS = 300
const BLOCKS = 12

const TRANSACTION_CODES = [
  'agent',
  'goodTilFar',
  'goodTilPassed',
  'malformed',
  'nonceTime',
  'nonceUsed',
  'phase',
  'signature',
]
const ACTION_CODES = [
  'band',
  'bookFull',
  'cancelOnly',
  'clientId',
  'expired',
  'funds',
  'halted',
  'marked',
  'marketFull',
  'marketOpenOrders',
  'maxFills',
  'minNotional',
  'mode',
  'noOpenOrder',
  'notFilled',
  'notOpen',
  'openOrders',
  'postOnlyMarket',
  'selfTrade',
  'switchTime',
  'tooLarge',
  'tooManyActions',
  'unknownMarket',
  'wouldTake',
]
const REASONS = [
  'cancelled',
  'cancelledAll',
  'crossing',
  'decremented',
  'displaced',
  'expired',
  'maxFills',
  'notResting',
  'selfTrade',
  'switchPassed',
  'triggered',
]

describe('the model of the order book', () => {
  it('keeps its promises, and traffic meets what it is made for', () => {
    const noCodes = (): Set<string> => new Set()
    const [transactions, actions, queued, reasons] = [noCodes(), noCodes(), noCodes(), noCodes()]
    let [fills, rebates, clearedFills] = [0, 0, 0]
    for (let seed = 1; seed <= SEEDS; seed++) {
      const run = makeRun(seed, BLOCKS)
      let { world } = run
      for (const block of run.blocks) {
        const { start, outcome } = modelStep(world, block)
        checkStep(start, block, outcome)
        world = outcome.world
        for (const result of outcome.results) {
          transactions.add(result.code)
          for (const { code } of result.actions) actions.add(code)
        }
        for (const { code } of outcome.queued) queued.add(code)
        for (const record of [...outcome.results.flatMap(({ records }) => records), ...outcome.after]) {
          if (record.kind === 'removed') reasons.add(record.reason)
          if (record.kind !== 'fill') continue
          fills++
          if (record.makerRebate > 0n) rebates++
        }
        clearedFills += outcome.after.filter(({ kind }) => kind === 'fill').length
      }
    }
    expect([...transactions].toSorted()).toEqual(['', ...TRANSACTION_CODES])
    expect([...actions].toSorted()).toEqual(['', ...ACTION_CODES])
    expect([...queued].toSorted()).toEqual(['', ...ACTION_CODES, 'nonceTime'].toSorted())
    expect([...reasons].toSorted()).toEqual(REASONS)
    expect(fills).toBeGreaterThan(1_000)
    expect(rebates).toBeGreaterThan(100)
    expect(clearedFills).toBeGreaterThan(200)
  })
})
