/** The member `bridge` of app_state. */
import { bytesToKey } from '../../../core/bytes.ts'
import type { BridgeContract, BridgeEvent } from '../../../core/bridge-event.ts'
import { bytesToHex } from '../../../core/hex.ts'
import {
  failAt,
  type JsonObject,
  parseAmount,
  parseArray,
  parseInteger,
  parseObject,
  parseString,
} from '../../../core/parse.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { formatConsensusAddress, parseConsensusAddress } from '../../validator-addresses.ts'
import { advanceOpenId } from '../acknowledge.ts'
import {
  listDecided,
  listFormer,
  listMinted,
  listOpen,
  listRefused,
  readParams,
  readProgress,
  writeDecided,
  writeFormer,
  writeMinted,
  writeOpen,
  writeParams,
  writeProgress,
  writeRefused,
} from '../keeper/index.ts'
import { type BridgeParams, DEFAULT_PARAMS } from '../params.ts'
import {
  type Candidate,
  type DecidedEvent,
  MAX_REFUSED,
  MAX_WAITING,
  NO_PROGRESS,
  OPEN_WINDOW,
  type OpenEvent,
  type Progress,
  type RefusedEvent,
} from '../record.ts'
import { at, bytesAt, contractAt, flagAt, idAt } from './fields.ts'
import {
  exportWayBackGenesis,
  initWayBackGenesis,
  parseWayBackGenesis,
  WAY_BACK_MEMBERS,
  type WayBackGenesis,
} from './way-back.ts'
import { parseDeposit, parseParams, printDeposit, printParams } from '../wire.ts'

type ById<Value> = readonly (readonly [number, Value])[]

export interface BridgeGenesis extends WayBackGenesis {
  readonly params: BridgeParams
  readonly progress: Pick<Progress, 'credited' | 'refused' | 'contradictions'>
  readonly open: ById<OpenEvent>
  readonly decided: ById<DecidedEvent>
  readonly refusedEvents: ById<RefusedEvent>
  readonly former: readonly (readonly [BridgeContract, Progress])[]
  readonly minted: readonly (readonly [denom: string, amount: bigint])[]
}

/** Most validators of a set, contracts that ever were, and denominations. */
const MAX_VALIDATORS = 10_000
const MAX_FORMER = 10_000
const HASH_BYTES = 32

const PARAMS = [
  'chain_id',
  'contract',
  'denom',
  'delay_blocks',
  'delay_seconds',
  'paused',
  'max_credits_per_block',
  'mint_limit',
  'withdraw_limit',
  'max_withdrawals_per_block',
  'set_interval_blocks',
  'min_withdrawal',
] as const

const parseParamsAt = (value: unknown, path: string): BridgeParams => {
  const object = parseObject(value ?? {}, path, PARAMS)
  const defaults = printParams(DEFAULT_PARAMS)
  const text = (name: string, fallback: string): string =>
    object[name] === undefined ? fallback : parseString(object[name], `${path}.${name}`)
  const amount = (name: string, fallback: bigint): bigint =>
    object[name] === undefined ? fallback : BigInt(parseInteger(object[name], `${path}.${name}`))
  const chainId = object['chain_id']
  return at(path, () =>
    parseParams({
      // The chain ID has 64 bits, which a number of JSON may not have.
      chainId:
        chainId === undefined
          ? 0n
          : typeof chainId === 'string'
            ? parseAmount(chainId, `${path}.chain_id`)
            : amount('chain_id', 0n),
      contract: text('contract', ''),
      denom: text('denom', defaults.denom),
      delayBlocks: amount('delay_blocks', defaults.delayBlocks),
      delaySeconds: amount('delay_seconds', defaults.delaySeconds),
      paused: flagAt(object['paused'], `${path}.paused`),
      maxCreditsPerBlock: Number(amount('max_credits_per_block', BigInt(defaults.maxCreditsPerBlock))),
      mintLimit: text('mint_limit', defaults.mintLimit),
      withdrawLimit: text('withdraw_limit', defaults.withdrawLimit),
      maxWithdrawalsPerBlock: Number(amount('max_withdrawals_per_block', BigInt(defaults.maxWithdrawalsPerBlock))),
      setIntervalBlocks: amount('set_interval_blocks', defaults.setIntervalBlocks),
      minWithdrawal: text('min_withdrawal', defaults.minWithdrawal),
    }),
  )
}

const depositAt = (value: unknown, id: number, path: string): BridgeEvent => {
  const object = parseObject(value, path, ['amount', 'from', 'recipient', 'data_hash', 'external_height'])
  const text = (name: string): string => parseString(object[name], `${path}.${name}`)
  const externalHeight = parseAmount(object['external_height'], `${path}.external_height`)
  if (externalHeight >= 1n << 64n) failAt(`${path}.external_height`, 'must be below 2^64')
  return at(path, () =>
    parseDeposit({
      id,
      amount: text('amount'),
      from: text('from'),
      recipient: text('recipient'),
      dataHash: text('data_hash'),
      externalHeight,
    }),
  )
}

const maybeDepositAt = (object: JsonObject, id: number, path: string): BridgeEvent | undefined =>
  object['deposit'] === undefined ? undefined : depositAt(object['deposit'], id, `${path}.deposit`)

const parseCandidate = (value: unknown, id: number, path: string): Candidate => {
  const object = parseObject(value, path, ['hash', 'validators', 'deposit', 'wanted'])
  const validators = parseArray(object['validators'], `${path}.validators`, MAX_VALIDATORS).map((each, index) => {
    const place = `${path}.validators[${index}]`
    return at(place, () => parseConsensusAddress(parseString(each, place)))
  })
  if (validators.length === 0) failAt(`${path}.validators`, 'must not be empty')
  return {
    hash: bytesAt(object['hash'], `${path}.hash`, HASH_BYTES),
    validators,
    event: maybeDepositAt(object, id, path),
    isWanted: flagAt(object['wanted'], `${path}.wanted`),
  }
}

const parseOpen = (value: unknown, path: string): readonly [number, OpenEvent] => {
  const object = parseObject(value, path, ['id', 'candidates'])
  const id = idAt(object['id'], `${path}.id`)
  const open = parseArray(object['candidates'], `${path}.candidates`, MAX_VALIDATORS).map((each, index) =>
    parseCandidate(each, id, `${path}.candidates[${index}]`),
  )
  const named = open.flatMap(({ validators }) => validators.map(bytesToKey))
  if (open.length === 0) failAt(`${path}.candidates`, 'must not be empty')
  if (new Set(named).size !== named.length) failAt(path, 'a validator stands in it twice')
  return [id, open]
}

const parseDecided = (value: unknown, path: string): readonly [number, DecidedEvent] => {
  const object = parseObject(value, path, ['id', 'reason', 'deposit', 'height', 'time_ns', 'immediate'])
  const id = idAt(object['id'], `${path}.id`)
  const event = maybeDepositAt(object, id, path)
  if (event === undefined) return [id, { kind: 'rejected', reason: parseString(object['reason'], `${path}.reason`) }]
  const height = parseInteger(object['height'], `${path}.height`)
  const timeNs = parseAmount(object['time_ns'], `${path}.time_ns`)
  return [
    id,
    { kind: 'accepted', event, height, timeNs, isImmediate: flagAt(object['immediate'], `${path}.immediate`) },
  ]
}

const parseRefused = (value: unknown, path: string): readonly [number, RefusedEvent] => {
  const object = parseObject(value, path, ['id', 'reason', 'deposit'])
  const id = idAt(object['id'], `${path}.id`)
  return [id, { reason: parseString(object['reason'], `${path}.reason`), event: maybeDepositAt(object, id, path) }]
}

const parseFormer = (value: unknown, path: string): readonly [BridgeContract, Progress] => {
  const object = parseObject(value, path, ['chain_id', 'contract', 'credited', 'refused'])
  const credited = parseInteger(object['credited'], `${path}.credited`)
  const refused = parseInteger(object['refused'], `${path}.refused`)
  const nextId = credited + refused
  return [contractAt(object, path), { ...NO_PROGRESS, nextId, openId: nextId, credited, refused }]
}

const parseMinted = (value: unknown, path: string): readonly [string, bigint] => {
  const object = parseObject(value, path, ['denom', 'amount'])
  return [parseString(object['denom'], `${path}.denom`), parseAmount(object['amount'], `${path}.amount`)]
}

/** What lies outside of the bounds that state has; ids stand there once. */
const idsFault = (genesis: BridgeGenesis): string | undefined => {
  const { progress, open, decided, refusedEvents } = genesis
  const nextId = progress.credited + progress.refused
  const waiting = [...open, ...decided].map(([id]) => id)
  if (new Set(waiting).size !== waiting.length) return 'an event stands in it twice'
  if (waiting.some((id) => id < nextId || id >= nextId + MAX_WAITING + OPEN_WINDOW)) {
    return `open and decided events have ids from ${nextId} on, and wait in a window`
  }
  const refused = refusedEvents.map(([id]) => id)
  if (new Set(refused).size !== refused.length || refused.some((id) => id >= nextId)) {
    return 'refused events had their turn, each once'
  }
  return refused.length > progress.refused ? 'more events are refused than are counted' : undefined
}

/** Nothing is bridged when nothing is said. Throws genesis/1. */
export const parseBridgeGenesis = (genesis: unknown, path = 'app_state.bridge'): BridgeGenesis => {
  const members = ['params', 'progress', 'open', 'decided', 'refused', 'former', 'minted']
  const object = parseObject(genesis ?? {}, path, [...members, ...WAY_BACK_MEMBERS])
  const counts = parseObject(object['progress'] ?? {}, `${path}.progress`, ['credited', 'refused', 'contradictions'])
  const count = (name: string): number => parseInteger(counts[name] ?? 0, `${path}.progress.${name}`)
  const list = <Value>(name: string, most: number, parse: (value: unknown, path: string) => Value): readonly Value[] =>
    parseArray(object[name], `${path}.${name}`, most).map((each, index) => parse(each, `${path}.${name}[${index}]`))
  const parsed: BridgeGenesis = {
    params: parseParamsAt(object['params'], `${path}.params`),
    progress: { credited: count('credited'), refused: count('refused'), contradictions: count('contradictions') },
    open: list('open', OPEN_WINDOW, parseOpen),
    decided: list('decided', MAX_WAITING + OPEN_WINDOW, parseDecided),
    refusedEvents: list('refused', MAX_REFUSED, parseRefused),
    former: list('former', MAX_FORMER, parseFormer),
    minted: list('minted', MAX_FORMER, parseMinted),
    ...parseWayBackGenesis(object, path),
  }
  const fault = idsFault(parsed)
  return fault === undefined ? parsed : failAt(path, fault)
}

/** The chain id is part of the leaves of withdrawals. */
export const initBridgeGenesis = (state: StateWriter, genesis: BridgeGenesis, chainId: string): void => {
  const { credited, refused, contradictions } = genesis.progress
  const nextId = credited + refused
  writeParams(state, genesis.params)
  for (const [id, open] of genesis.open) writeOpen(state, id, open)
  for (const [id, decided] of genesis.decided) writeDecided(state, id, decided)
  for (const [id, event] of genesis.refusedEvents) writeRefused(state, id, event)
  for (const [contract, progress] of genesis.former) writeFormer(state, contract, progress)
  for (const [denom, amount] of genesis.minted) writeMinted(state, denom, amount)
  const openId = advanceOpenId(state, nextId)
  const remembered = genesis.refusedEvents.length
  writeProgress(state, { nextId, openId, credited, refused, remembered, contradictions })
  initWayBackGenesis(state, genesis, chainId)
}

const shownDeposit = (event: BridgeEvent | undefined) => {
  if (event === undefined) return {}
  const { amount, from, recipient, dataHash, externalHeight } = printDeposit(event)
  return { deposit: { amount, from, recipient, data_hash: dataHash, external_height: externalHeight.toString() } }
}

const shownParams = (params: BridgeParams) => {
  const wire = printParams(params)
  return {
    chain_id: wire.chainId.toString(),
    contract: wire.contract,
    denom: wire.denom,
    delay_blocks: wire.delayBlocks.toString(),
    delay_seconds: wire.delaySeconds.toString(),
    paused: wire.paused,
    max_credits_per_block: wire.maxCreditsPerBlock,
    mint_limit: wire.mintLimit,
    withdraw_limit: wire.withdrawLimit,
    max_withdrawals_per_block: wire.maxWithdrawalsPerBlock,
    set_interval_blocks: wire.setIntervalBlocks.toString(),
    min_withdrawal: wire.minWithdrawal,
  }
}

const shownOpen = ([id, open]: readonly [number, OpenEvent]) => ({
  id,
  candidates: open.map(({ hash, validators, event, isWanted }) => ({
    hash: bytesToHex(hash),
    validators: validators.map(formatConsensusAddress),
    ...shownDeposit(event),
    wanted: isWanted,
  })),
})

const shownDecided = ([id, decided]: readonly [number, DecidedEvent]) =>
  decided.kind === 'rejected'
    ? { id, reason: decided.reason }
    : {
        id,
        ...shownDeposit(decided.event),
        height: decided.height.toString(),
        time_ns: decided.timeNs.toString(),
        immediate: decided.isImmediate,
      }

/** The inverse of {@link initBridgeGenesis}. */
export const exportBridgeGenesis = (state: StateReader) => {
  const { credited, refused, contradictions } = readProgress(state)
  return {
    params: shownParams(readParams(state)),
    progress: { credited, refused, contradictions },
    open: [...listOpen(state)].map(shownOpen),
    decided: [...listDecided(state)].map(shownDecided),
    refused: [...listRefused(state)].map(([id, { reason, event }]) => ({ id, reason, ...shownDeposit(event) })),
    former: [...listFormer(state)].map(([{ chainId, address }, progress]) => ({
      chain_id: chainId.toString(),
      contract: bytesToHex(address),
      credited: progress.credited,
      refused: progress.refused,
    })),
    minted: [...listMinted(state)].map(([denom, amount]) => ({ denom, amount: amount.toString() })),
    ...exportWayBackGenesis(state),
  }
}
