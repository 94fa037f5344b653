/** MsgCreateMarket: governance makes a market, whose denominations, lot size and factor stay for ever. */
import { clobMsg } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleParsed } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import type { ClobDependencies } from '../deps.ts'
import { EMPTY_RECORD } from '../domain/empty-record.ts'
import type { Market } from '../domain/market.ts'
import { checkMarket, MAX_MARKETS } from '../domain/market-rules.ts'
import { clobError } from '../errors.ts'
import { marketUpdated } from '../events.ts'
import { parseMarket } from '../forms/market.ts'
import { listMarkets, writeMarket, writeRecord } from '../keeper/index.ts'

/** Throws sdk/7, sdk/4 and clob/20 to clob/23. */
const parse = (message: clobMsg.MsgCreateMarket): Omit<Market, 'id'> => {
  checkAuthority(message.authority)
  const market = parseMarket(message)
  checkMarket(market)
  return market
}

export const createCreateMarket = ({ ledger }: Pick<ClobDependencies, 'ledger'>): MessageHandler =>
  handleParsed(clobMsg.Msg.method.createMarket, {
    parse,
    execute: ({ state, emit }, parsed) => {
      for (const denom of [parsed.baseDenom, parsed.quoteDenom]) {
        if (ledger.supply(state, denom) === 0n) throw clobError('marketDenoms', `nobody has any ${denom}`)
      }
      const markets = listMarkets(state)
      if (markets.length >= MAX_MARKETS) throw clobError('tooManyMarkets', `there are ${MAX_MARKETS} markets already`)
      const market = { id: (markets.at(-1)?.id ?? 0) + 1, ...parsed }
      writeMarket(state, market)
      writeRecord(state, market.id, EMPTY_RECORD)
      emit(marketUpdated(market, EMPTY_RECORD.sequence))
      return { market: market.id }
    },
  })
