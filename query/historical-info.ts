/**
 * `cosmos.staking.v1beta1.Query/HistoricalInfo`: the validators that stood behind a block. The SDK writes them into the
 * state of every block; here the state of that time is read again, and so as many heights are known as are kept.
 */
import { create, toBinary } from '@bufbuild/protobuf'
import { decodeRequest } from '../modules/handlers.ts'
import { queryRefusal } from '../modules/sdk-errors.ts'
import { historicalValidators } from '../modules/staking/index.ts'
import { stakingQuery } from '../proto/index.ts'
import { isKept, readKeptRange } from '../store/kept-range.ts'
import { readBlockContent } from '../app/index/finalize-request.ts'
import type { ChainView } from './chain-view.ts'

export const HISTORICAL_INFO = '/cosmos.staking.v1beta1.Query/HistoricalInfo'

const NS_PER_SECOND = 1_000_000_000n
/** CometBFT's version of the form of its blocks. */
const BLOCK_VERSION = 11n

/** Answers what the application knows of a header: the hashes of CometBFT's own parts are missing. Throws grpc/3, grpc/5. */
export const historicalInfo = (view: ChainView, request: Uint8Array): Uint8Array => {
  const { height } = decodeRequest(stakingQuery.QueryHistoricalInfoRequestSchema, request)
  if (height < 0n) throw queryRefusal('invalidArgument', 'height cannot be negative')
  const { store } = view.reader
  const at = Number(height)
  const before = at - 1
  const content = at > view.head ? undefined : readBlockContent(store, at)
  const parent = view.reader.header(before)
  if (content === undefined || parent === undefined || !isKept(readKeptRange(store), before)) {
    throw queryRefusal('notFound', `historical info for height ${height} not found`)
  }
  const { timeNs, proposerAddress, nextValidatorsHash } = content
  const header = {
    version: { block: BLOCK_VERSION, app: 1n },
    chainId: view.parameters.chainId,
    height,
    time: { seconds: timeNs / NS_PER_SECOND, nanos: Number(timeNs % NS_PER_SECOND) },
    nextValidatorsHash,
    appHash: parent.hash,
    proposerAddress,
  }
  const hist = { header, valset: [...historicalValidators(view.stateAt(before))] }
  const schema = stakingQuery.QueryHistoricalInfoResponseSchema
  return toBinary(schema, create(schema, { hist }))
}
