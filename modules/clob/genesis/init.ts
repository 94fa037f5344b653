/** Writes the genesis of the order book. Coins in escrow are the bank's to write. */
import type { StateWriter } from '../../../store/state.ts'
import { failAt } from '../../../core/parse.ts'
import { initCaps } from '../caps.ts'
import type { ClobDependencies } from '../deps.ts'
import { KEPT_BLOCKS } from '../domain/account.ts'
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
import type { HeightMarks } from './owners.ts'
import type { ClobGenesis } from './parse.ts'

/**
 * The block of a height forgets what came {@link KEPT_BLOCKS} blocks before it, and puts in its own. What stands at another height would stay for
 * ever, or go for one node and not for another.
 */
const requireRecent = (what: string, height: number, initialHeight: number): void => {
  const least = initialHeight - KEPT_BLOCKS + 1
  if (height >= least && height < initialHeight) return
  failAt(
    `app_state.clob.${what}`,
    `height ${height} is not one of the ${KEPT_BLOCKS - 1} before the first block, ${initialHeight}: remove what stands there`,
  )
}

const requireMarkEnd = ({ height, marks }: HeightMarks): void => {
  for (const { goodTilBlock } of marks) {
    if (goodTilBlock >= height + KEPT_BLOCKS)
      failAt(
        'app_state.clob.marks',
        `a mark of height ${height} binds until ${goodTilBlock}, more than ${KEPT_BLOCKS - 1} later`,
      )
  }
}

/** `initialHeight` is that of the first block. Throws genesis codes. */
export const initClob = (
  state: StateWriter,
  initialHeight: number,
  genesis: ClobGenesis,
  dependencies: Pick<ClobDependencies, 'validatorCount'>,
): void => {
  const { parameters, nextSeq, timeMs } = genesis
  for (const { height } of genesis.nonces) requireRecent('nonces', height, initialHeight)
  for (const marks of genesis.marks) {
    requireRecent('marks', marks.height, initialHeight)
    requireMarkEnd(marks)
  }
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
