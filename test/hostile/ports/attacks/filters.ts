/** Filters: as many as there may be, as large as they may be, and told of large transactions. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Assault, type Attack, isOver, scaled, untilEnd } from '../attack.ts'
import { sendTransactions } from '../prepare.ts'
import { askHttp, batchText, flood, outcomeOf, rpcText } from '../wire.ts'
import { largeCriteria } from './criteria.ts'

const OUTCOMES = /^(ok|-32005 .*|-32003 .*|HTTP (429|503)|sent|sent: .*|filters|refused|no answer in time)$/

const fullPendingFilters = async (assault: Assault): Promise<void> => {
  const { target, tally } = assault
  const text = batchText(1_000, (index) => rpcText('eth_newPendingTransactionFilter', [true], index))
  for (let batch = 0; batch < Math.max(2, scaled(assault, 10)) && !isOver(assault); batch++) {
    const reply = await askHttp(target.http, { body: text })
    const made = reply.text.match(/"result":"0x/g)?.length ?? 0
    tally.add('filters', made)
    if (made < 1_000) tally.add(outcomeOf(reply))
  }
  await sleep(500)
  await sendTransactions(assault, scaled(assault, 40))
  await untilEnd(assault)
}

export const FILTER_ATTACKS: readonly Attack[] = [
  {
    name: 'eth_newFilter, 20,000',
    seconds: 12,
    bounded: 'filters of a client and of all',
    outcomes: OUTCOMES,
    run: (assault) => {
      const text = batchText(1_000, (index) => rpcText('eth_newFilter', [{}], index))
      return flood(assault, 8, () => text, Math.max(3, scaled(assault, 20)))
    },
  },
  {
    name: 'eth_newFilter with 5,000 criteria each, 800',
    seconds: 15,
    bounded: 'bytes of criteria, of a client and of all',
    outcomes: OUTCOMES,
    run: (assault) =>
      flood(
        assault,
        8,
        (index) => rpcText('eth_newFilter', [largeCriteria(index)]),
        Math.max(20, scaled(assault, 800)),
      ),
  },
  {
    name: 'full pending filters, as many as there may be, + 40 txs',
    seconds: 18,
    bounded: 'filters of a client; a filter is a place in what all share, not a copy',
    outcomes: OUTCOMES,
    run: fullPendingFilters,
  },
]
