/** The only code that reads and writes the order book's state: one function pair for each key of keys.ts. */
export { CLOB_ACCOUNT } from '../keys.ts'
export { EMPTY_CLOB_ACCOUNT, type OwnedAccount, readAccount, scanAccounts, writeAccount } from './accounts.ts'
export { readAfter, writeAfter } from './after.ts'
export {
  listAgents,
  type OwnedAgent,
  readAgent,
  readAgentAddresses,
  scanAgentAddresses,
  scanAgents,
  writeAgent,
} from './agents.ts'
export {
  type HeightCap,
  MAX_CAP_BYTES,
  MAX_CAPS,
  MAX_CARRIED,
  readCaps,
  readCarried,
  readProposer,
  scanProposers,
  writeCaps,
  writeCarried,
  writeProposer,
} from './extensions.ts'
export { listMarkets, readMarket, writeMarket } from './markets.ts'
export {
  MAX_BLOCK_MARKS,
  MAX_BLOCK_NONCES,
  readMarks,
  readNonces,
  scanMarks,
  scanNonces,
  type UsedNonce,
  writeMarks,
  writeNonces,
} from './nonces.ts'
export {
  decodeOrder,
  encodeOrder,
  findOrdersOf,
  type OrderPlace,
  readOrder,
  scanOrders,
  scanOrderValues,
  scanOrphans,
  writeOrder,
} from './orders.ts'
export {
  collectQueued,
  dropQueued,
  type QueuedAction,
  readQueue,
  readQueuedTotals,
  type QueuedTotals,
  writeQueue,
  writeQueued,
} from './queue.ts'
export { readRecord, writeRecord } from './records.ts'
export {
  hasParameters,
  readNextSeq,
  readParameters,
  readTimeMs,
  writeNextSeq,
  writeParameters,
  writeTimeMs,
} from './settings.ts'
export { type OwnedVolume, readVolume, scanVolumes, writeVolume } from './volumes.ts'
