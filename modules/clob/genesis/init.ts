/** Writes the genesis of the order book. Coins in escrow are the bank's to write. */
import type { StateWriter } from '../../../store/state.ts'
import { initCaps } from '../caps.ts'
import type { ClobDependencies } from '../deps.ts'
import {
  encodeOrder,
  writeAccount,
  writeAfter,
  writeAgent,
  writeCarried,
  writeMarket,
  writeMarks,
  writeNextSeq,
  writeNonces,
  writeOrder,
  writeParameters,
  writeProposer,
  writeQueue,
  writeRecord,
  writeTimeMs,
  writeVolume,
} from '../keeper/index.ts'
import type { ClobGenesis } from './parse.ts'

/** `initialHeight` is that of the first block. */
export const initClob = (
  state: StateWriter,
  initialHeight: number,
  genesis: ClobGenesis,
  dependencies: Pick<ClobDependencies, 'validatorCount'>,
): void => {
  const { parameters, nextSeq, timeMs } = genesis
  if (parameters !== undefined) writeParameters(state, parameters)
  for (const { market, record } of genesis.markets) {
    writeMarket(state, market)
    writeRecord(state, market.id, record)
  }
  for (const order of genesis.orders) writeOrder(state, order.market, order.seq, encodeOrder(order))
  for (const { owner, account } of genesis.accounts) writeAccount(state, owner, account)
  for (const { owner, address, agent } of genesis.agents) writeAgent(state, owner, address, agent)
  for (const { height, nonces } of genesis.nonces) writeNonces(state, height, nonces)
  for (const { height, marks } of genesis.marks) writeMarks(state, height, marks)
  for (const { owner, denom, volume } of genesis.volumes) writeVolume(state, owner, denom, volume)
  for (const { address, record } of genesis.proposers) writeProposer(state, address, record)
  writeCarried(state, genesis.carried)
  if (nextSeq > 0) writeNextSeq(state, nextSeq)
  if (timeMs > 0) writeTimeMs(state, timeMs)
  writeAfter(state, genesis.after)
  writeQueue(state, genesis.queue)
  // Last: it asks for the parameters.
  initCaps(state, initialHeight, genesis.caps, dependencies)
}
