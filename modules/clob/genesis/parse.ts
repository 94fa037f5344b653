/** The member `clob` of app_state. A new chain needs none of it; what is left out of an export is not in its state either. */
import type { Hash } from '../../../core/hash.ts'
import { failAt, type JsonObject, parseObject } from '../../../core/parse.ts'
import { clob, clobGenesis } from '../../../proto/index.ts'
import type { OpenOrder } from '../domain/order.ts'
import type { QueuedAction } from '../domain/queue.ts'
import type { ClobParameters } from '../domain/settings.ts'
import { parseParameters } from '../forms/market.ts'
import type { HeightCap, OwnedAccount, OwnedAgent, OwnedVolume } from '../keeper/index.ts'
import { parametersFault } from '../params.ts'
import type { ListedId } from '../plan/types.ts'
import { CAPS, CARRIED, type GenesisProposer, PROPOSERS } from './extensions.ts'
import { checkLength, parseList, parseMessage, toNumber } from './fields.ts'
import { type GenesisMarket, MARKETS, ORDERS } from './orders.ts'
import { ACCOUNTS, type HeightMarks, type HeightNonces, MARKS, NONCES, parseAgents, VOLUMES } from './owners.ts'
import { parseQueue } from './queue.ts'

const HASH_BYTES = 32
const PATH = 'app_state.clob'
const MEMBERS = clobGenesis.GenesisStateSchema.fields.map(({ name }) => name)

export interface ClobGenesis {
  /** Undefined are the defaults. */
  readonly parameters: ClobParameters | undefined
  readonly markets: readonly GenesisMarket[]
  readonly orders: readonly OpenOrder[]
  readonly accounts: readonly OwnedAccount[]
  readonly agents: readonly OwnedAgent[]
  readonly nonces: readonly HeightNonces[]
  readonly marks: readonly HeightMarks[]
  readonly volumes: readonly OwnedVolume[]
  readonly carried: readonly ListedId[]
  readonly caps: readonly HeightCap[]
  /** 0 where the file does not say it. */
  readonly nextSeq: number
  readonly timeMs: number
  readonly proposers: readonly GenesisProposer[]
  readonly after: Hash | undefined
  readonly queue: readonly QueuedAction[]
}

const parseParams = (value: unknown, path: string): ClobParameters | undefined => {
  if (value === undefined) return undefined
  const parameters = parseParameters(parseMessage(clob.ParamsSchema, value, path))
  const fault = parametersFault(parameters)
  return fault === undefined ? parameters : failAt(path, fault)
}

/** The members that are one value each. */
const parseSingles = (root: JsonObject): Pick<ClobGenesis, 'nextSeq' | 'timeMs' | 'after'> => {
  const { next_order_seq: next = '0', time_ms: time = '0', after = '' } = root
  const singles = { nextOrderSeq: next, timeMs: time, after } as const
  const message = parseMessage(clobGenesis.GenesisStateSchema, singles, PATH)
  return {
    nextSeq: toNumber(message.nextOrderSeq, `${PATH}.next_order_seq`),
    timeMs: toNumber(message.timeMs, `${PATH}.time_ms`),
    after: message.after.length === 0 ? undefined : checkLength(message.after, `${PATH}.after`, HASH_BYTES),
  }
}

/** Throws genesis/1 with the member at fault. */
export const parseClobGenesis = (genesis: unknown): ClobGenesis => {
  const root = parseObject(genesis ?? {}, PATH, MEMBERS)
  return {
    parameters: parseParams(root['params'], `${PATH}.params`),
    markets: parseList(root['markets'], `${PATH}.markets`, MARKETS),
    orders: parseList(root['orders'], `${PATH}.orders`, ORDERS),
    accounts: parseList(root['accounts'], `${PATH}.accounts`, ACCOUNTS),
    agents: parseAgents(root['agents'], `${PATH}.agents`),
    nonces: parseList(root['nonces'], `${PATH}.nonces`, NONCES),
    marks: parseList(root['marks'], `${PATH}.marks`, MARKS),
    volumes: parseList(root['volumes'], `${PATH}.volumes`, VOLUMES),
    carried: parseList(root['carried'], `${PATH}.carried`, CARRIED).flat(),
    caps: parseList(root['caps'], `${PATH}.caps`, CAPS),
    proposers: parseList(root['proposers'], `${PATH}.proposers`, PROPOSERS),
    queue: parseQueue(root['queue'], `${PATH}.queue`),
    ...parseSingles(root),
  }
}
