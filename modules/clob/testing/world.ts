/** For tests: the module over a state of its own, driven by messages and asked by queries, and a market for it. */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { encodeBech32 } from '../../../core/bech32.ts'
import { CodedError } from '../../../core/errors.ts'
import { clob, clobMsg, clobQuery } from '../../../proto/index.ts'
import { LatestState } from '../../../store/latest.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Overlay } from '../../../store/overlay.ts'
import { GOVERNANCE_ADDRESS } from '../../authority.ts'
import { createLedger } from '../../bank/index.ts'
import type { Event } from '../../module.ts'
import type { Market } from '../domain/market.ts'
import * as keeper from '../keeper/index.ts'
import { clobModule } from '../module.ts'

export const AUTHORITY = encodeBech32(GOVERNANCE_ADDRESS)
export const [ALICE, BOB, CAROL] = [1, 2, 3].map((byte) => new Uint8Array(20).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
export const INITIAL_HEIGHT = 5
export const NOW_S = 1_800_000_000
export const ledger = createLedger({ isBlockedReceiver: () => false })

interface WorldOptions {
  readonly genesis?: unknown
  readonly validators?: number
  readonly roomFault?: string
}

export const makeWorld = ({ genesis, validators = 4, roomFault }: WorldOptions = {}) => {
  const state = new Overlay(new LatestState(openMemoryStore(), 1_000))
  const module = clobModule.create({
    ledger,
    validatorCount: () => validators,
    blockRoomFault: () => roomFault,
  })
  const events: Event[] = []
  let gas = 0n
  const context = {
    state,
    height: INITIAL_HEIGHT - 1,
    timeNs: BigInt(NOW_S) * 1_000_000_000n,
    chainId: 'x',
    emit: (event: Event) => void events.push(event),
    consumeGas: (amount: bigint) => void (gas += amount),
  }
  for (const denom of ['anat', 'uusd', 'ueur']) ledger.mint(context, ALICE, [{ denom, amount: 10n ** 30n }])
  events.length = 0
  module.initGenesis(context, genesis)
  const send = <Input extends DescMessage, Output extends DescMessage>(
    { input, output }: DescMethodUnary<Input, Output>,
    message: MessageInitShape<Input>,
  ): MessageShape<Output> => {
    const handler = module.messages.find(({ typeUrl }) => typeUrl === `/${input.typeName}`)
    if (handler === undefined) throw new RangeError(input.typeName)
    const prepared = handler.prepare(handler.decode(toBinary(input, create(input, message))))
    return fromBinary(output, handler.execute(context, prepared))
  }
  const ask = <Input extends DescMessage, Output extends DescMessage>(
    { input, output, name }: DescMethodUnary<Input, Output>,
    request: MessageInitShape<Input>,
  ): MessageShape<Output> => {
    const query = module.queries.find(({ path }) => path === `/nat.clob.v1.Query/${name}`)
    if (query === undefined) throw new RangeError(name)
    return fromBinary(output, query.query(context, toBinary(input, create(input, request))))
  }
  const values = () =>
    state
      .values(keeper.CLOB_ACCOUNT, new Uint8Array(0), 10_000)
      .map(([key, value]) => [Buffer.from(key).toString('latin1'), Buffer.from(value).toString('hex')])
  const faults = () => module.invariants.flatMap(({ check }) => check(context) ?? [])
  /** The genesis as the file has it. */
  const exported = (): unknown => JSON.parse(textOf(module.exportGenesis(context)))
  return { state, module, context, events, send, ask, values, faults, exported, gas: () => gas }
}

/** JSON with iterables as lists. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && Symbol.iterator in member
      ? [...(member as Iterable<unknown>)]
      : member,
  )

export const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

export const { method } = clobMsg.Msg
export const queries = clobQuery.Query.method

export const SETTINGS = {
  fees: [
    { volume: '0', makerPpm: 100, takerPpm: 300 },
    { volume: '1000000', makerPpm: -50, takerPpm: 200 },
  ],
  minNotional: '1000',
  bandPpm: 100_000,
  maxOpenOrders: 100,
  triggerNotional: '10000',
  minEquity: '0',
  status: clob.MarketStatus.ACTIVE,
  mode: clob.MarketMode.CONTINUOUS,
}
export const CREATE = {
  authority: AUTHORITY,
  baseDenom: 'anat',
  quoteDenom: 'uusd',
  lotSize: '1000',
  factor: '7',
  settings: SETTINGS,
}
export const MARKET: Market = {
  id: 1,
  baseDenom: 'anat',
  quoteDenom: 'uusd',
  lotSize: 1_000n,
  factor: 7n,
  fees: [
    { volume: 0n, makerPpm: 100, takerPpm: 300 },
    { volume: 1_000_000n, makerPpm: -50, takerPpm: 200 },
  ],
  minNotional: 1_000n,
  bandPpm: 100_000,
  maxOpenOrders: 100,
  triggerNotional: 10_000n,
  minEquity: 0n,
  status: 'active',
  mode: 'continuous',
}
