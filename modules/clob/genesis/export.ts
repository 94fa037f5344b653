/** All that state holds of the order book, in the form of its genesis. Long lists are written item by item. */
import { create, type DescMessage, type MessageInitShape, toJson } from '@bufbuild/protobuf'
import { encodeBech32 } from '../../../core/bech32.ts'
import { bytesToBase64 } from '../../../core/bytes.ts'
import { clob, clobGenesis } from '../../../proto/index.ts'
import type { StateReader } from '../../../store/state.ts'
import { formatConsensusAddress } from '../../validator-addresses.ts'
import type { ClobParameters } from '../domain/settings.ts'
import { EMPTY_RECORD } from '../domain/empty-record.ts'
import { marketForm, parametersForm, recordForm } from '../forms/market.ts'
import { orderForm } from '../forms/order.ts'
import { accountForm, agentForm, capForm, carriedForm, proposerForm, sideForm } from '../forms/owner.ts'
import {
  hasParameters,
  listMarkets,
  readAfter,
  readCaps,
  readCarried,
  readNextSeq,
  readParameters,
  readQueue,
  readRecord,
  readTimeMs,
  scanAccounts,
  scanAgents,
  scanMarks,
  scanNonces,
  scanOrders,
  scanProposers,
  scanVolumes,
} from '../keeper/index.ts'
import { formatQueued } from './queue.ts'

const FIRST_SEQ = 1

const format = <Desc extends DescMessage>(schema: Desc, form: MessageInitShape<Desc>): unknown =>
  toJson(schema, create(schema, form), { useProtoFieldName: true, alwaysEmitImplicit: true })

/** The parameters as the member `params` has them. */
export const formatParameters = (parameters: ClobParameters): unknown =>
  format(clob.ParamsSchema, parametersForm(parameters))

function* mapEach<Item>(items: Iterable<Item>, formatItem: (item: Item) => unknown): Generator<unknown, void> {
  for (const item of items) yield formatItem(item)
}

function* formatOrders(state: StateReader): Generator<unknown, void> {
  for (const { id } of listMarkets(state)) {
    yield* mapEach(scanOrders(state, id), (order) => format(clob.OpenOrderSchema, orderForm(order)))
  }
}

const formatMarkets = (state: StateReader): readonly unknown[] =>
  listMarkets(state).map((market) =>
    format(clobGenesis.GenesisMarketSchema, {
      market: marketForm(market),
      record: recordForm(readRecord(state, market.id) ?? EMPTY_RECORD),
    }),
  )

const formatOwners = (state: StateReader) => ({
  accounts: mapEach(scanAccounts(state), ({ owner, account }) =>
    format(clobGenesis.GenesisAccountSchema, { owner: encodeBech32(owner), account: accountForm(account) }),
  ),
  agents: mapEach(scanAgents(state), (owned) =>
    format(clobGenesis.GenesisAgentSchema, { owner: encodeBech32(owned.owner), agent: agentForm(owned) }),
  ),
  nonces: mapEach(scanNonces(state), ([height, list]) => {
    const nonces = list.map(({ signer, nonceMs }) => ({ signer: encodeBech32(signer), nonceMs: BigInt(nonceMs) }))
    return format(clobGenesis.GenesisNoncesSchema, { height: BigInt(height), nonces })
  }),
  marks: mapEach(scanMarks(state), ([height, list]) => {
    const marks = list.map((mark) => ({
      owner: encodeBech32(mark.owner),
      subaccount: mark.subaccount,
      market: mark.market,
      side: sideForm(mark.side),
      clientId: mark.clientId,
      nonceMs: BigInt(mark.nonceMs),
      goodTilBlock: BigInt(mark.goodTilBlock),
    }))
    return format(clobGenesis.GenesisMarksSchema, { height: BigInt(height), marks })
  }),
  volumes: mapEach(scanVolumes(state), ({ owner, denom, volume: { lastDay, sums } }) =>
    format(clobGenesis.GenesisVolumeSchema, { owner: encodeBech32(owner), denom, lastDay, sums: sums.map(String) }),
  ),
})

/** What state does not hold is left out: a chain that ran before it had an order book has nothing. */
const formatSingles = (state: StateReader) => {
  const [next, timeMs, after] = [readNextSeq(state), readTimeMs(state), readAfter(state)]
  return {
    ...(hasParameters(state) ? { params: formatParameters(readParameters(state)) } : {}),
    ...(next === FIRST_SEQ ? {} : { next_order_seq: next.toString() }),
    ...(timeMs === 0 ? {} : { time_ms: timeMs.toString() }),
    ...(after === undefined ? {} : { after: bytesToBase64(after) }),
  }
}

export const exportClob = (state: StateReader) => ({
  ...formatSingles(state),
  markets: formatMarkets(state),
  orders: formatOrders(state),
  ...formatOwners(state),
  carried: carriedForm(readCarried(state)).map((group) => format(clob.CarriedIdsSchema, group)),
  queue: mapEach(readQueue(state), formatQueued),
  caps: readCaps(state).map((cap) => format(clob.CapSchema, capForm(cap))),
  proposers: mapEach(scanProposers(state), ([address, record]) =>
    format(clobGenesis.GenesisProposerSchema, {
      address: formatConsensusAddress(address),
      record: proposerForm(record),
    }),
  ),
})
