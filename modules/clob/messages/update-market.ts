/** MsgUpdateMarket: governance replaces the settings of a market, from the next block on. */
import { clobMsg } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleParsed } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { checkSettings, type MarketSettings } from '../domain/market-rules.ts'
import { clobError } from '../errors.ts'
import { marketUpdated } from '../events.ts'
import { parseSettings } from '../forms/market.ts'
import { readMarket, readRecord, writeMarket } from '../keeper/index.ts'

interface Update {
  readonly id: number
  readonly settings: MarketSettings
}

/** Throws sdk/7, sdk/4, clob/22 and clob/23. */
const parse = ({ authority, market, settings: given }: clobMsg.MsgUpdateMarket): Update => {
  checkAuthority(authority)
  const settings = parseSettings(given)
  checkSettings(settings)
  return { id: market, settings }
}

export const UPDATE_MARKET: MessageHandler = handleParsed(clobMsg.Msg.method.updateMarket, {
  parse,
  execute: ({ state, emit }, { id, settings }) => {
    const market = readMarket(state, id)
    const record = readRecord(state, id)
    if (market === undefined || record === undefined) throw clobError('noMarket', `there is no market ${id}`)
    if (market.mode !== settings.mode && record.openOrders > 0) {
      const { openOrders } = record
      throw clobError('modeInUse', `the mode of market ${id} cannot change while ${openOrders} orders are open`)
    }
    const updated = { ...market, ...settings }
    writeMarket(state, updated)
    emit(marketUpdated(updated, record.sequence))
    return {}
  },
})
