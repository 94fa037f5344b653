/** Filters: as many as there may be, as large as they may be, and told of large transactions. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from 'node:http'
import { type Assault, type Attack, leftMs, pump, scaled, untilEnd } from '../attack.ts'
import { sendTransactions } from '../prepare.ts'
import { askHttp, batchText, keptAlive, outcomeOf, rpcText } from '../wire.ts'
import { largeCriteria } from './criteria.ts'

const OUTCOMES = /^(ok|filters|sent|sent: .*|-32005 .*|-32003 .*|HTTP (429|503)|no answer in time)$/
const WIDTH = 8
const BATCH = 1_000

/** Makes filters by `count` texts, and gives their ids. */
const makeFilters = async (assault: Assault, agent: Agent, count: number, textOf: (index: number) => string) => {
  const ids: string[] = []
  await pump(assault, { count, width: WIDTH }, async (index) => {
    const reply = await askHttp(assault.target.http, { body: textOf(index), agent, limitMs: leftMs(assault) + 1_000 })
    const made = [...reply.text.matchAll(/"result":"(0x[0-9a-f]+)"/g)].map(([, id = '']) => id)
    assault.tally.add('filters', made.length)
    assault.tally.add(outcomeOf(reply))
    ids.push(...made)
  })
  return ids
}

/** The next attack comes from the same address and finds its share free, as a first one does. */
const removeFilters = async ({ target }: Assault, agent: Agent, ids: readonly string[]): Promise<void> => {
  for (let from = 0; from < ids.length; from += BATCH) {
    const part = ids.slice(from, from + BATCH)
    const body = batchText(part.length, (index) => rpcText('eth_uninstallFilter', [part[index]], index))
    await askHttp(target.http, { body, agent })
  }
}

const withFilters = async (
  assault: Assault,
  count: number,
  textOf: (index: number) => string,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<void> => {
  const agent = keptAlive(WIDTH)
  const ids = await makeFilters(assault, agent, count, textOf)
  await meanwhile()
  await removeFilters(assault, agent, ids)
  agent.destroy()
}

export const FILTER_ATTACKS: readonly Attack[] = [
  {
    name: 'eth_newFilter, 20,000',
    seconds: 12,
    bounded: 'filters of a client and of all',
    outcomes: OUTCOMES,
    refusal: /^-32005 too many filters/,
    run: (assault) => {
      const text = batchText(BATCH, (index) => rpcText('eth_newFilter', [{}], index))
      return withFilters(assault, Math.max(3, scaled(assault, 20)), () => text)
    },
  },
  {
    name: 'eth_newFilter with 5,000 criteria each, 800',
    seconds: 15,
    bounded: 'bytes of criteria, of a client and of all',
    outcomes: OUTCOMES,
    refusal: /^-32005 too many filters/,
    run: (assault) =>
      withFilters(assault, Math.max(20, scaled(assault, 800)), (index) =>
        rpcText('eth_newFilter', [largeCriteria(index)]),
      ),
  },
  {
    name: 'full pending filters, as many as there may be, + 40 txs',
    seconds: 18,
    bounded: 'filters of a client; a filter is a place in what all share, not a copy',
    outcomes: OUTCOMES,
    refusal: /^-32005 too many filters/,
    run: (assault) => {
      const text = batchText(BATCH, (index) => rpcText('eth_newPendingTransactionFilter', [true], index))
      return withFilters(
        assault,
        Math.max(2, scaled(assault, 10)),
        () => text,
        async () => {
          await sleep(Math.min(500, leftMs(assault) / 4))
          await sendTransactions(assault, scaled(assault, 40))
          await untilEnd(assault)
        },
      )
    },
  },
]
