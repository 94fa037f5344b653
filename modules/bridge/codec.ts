/** Values of the bridge's store: RLP lists of big-endian numbers, bytes and texts. */
import type { BridgeContract, BridgeEvent } from '../../core/bridge-event.ts'
import { bigintToBytes, EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { decodeRlp, encodeRlp, type RlpInput, type RlpItem } from '../../core/rlp.ts'
import { type BridgeParams, DEFAULT_PARAMS } from './params.ts'
import { bigintOf, bytesOf, flag, isSet, listOf, number, numberOf, textOf } from './rlp-fields.ts'
import type { Candidate, DecidedEvent, OpenEvent, Progress, RefusedEvent } from './record.ts'

const eventItem = (event: BridgeEvent): RlpInput => [
  number(event.id),
  bigintToBytes(event.amount),
  event.from,
  event.recipient,
  event.dataHash,
  number(event.externalHeight),
]

const eventOf = (item: RlpItem | undefined): BridgeEvent => {
  const [id, amount, from, recipient, dataHash, externalHeight] = listOf(item)
  return {
    id: numberOf(id),
    amount: bigintOf(amount),
    from: bytesOf(from),
    recipient: bytesOf(recipient),
    dataHash: bytesOf(dataHash),
    externalHeight: bigintOf(externalHeight),
  }
}

/** An empty string where there is none. */
const maybeEventItem = (event: BridgeEvent | undefined): RlpInput =>
  event === undefined ? EMPTY_BYTES : eventItem(event)
const maybeEventOf = (item: RlpItem | undefined): BridgeEvent | undefined =>
  Array.isArray(item) ? eventOf(item) : undefined

/**
 * [chain id, address, denom, delay blocks, delay seconds, paused, credits, limit, limit of withdrawals, withdrawals a block, interval of
 * sets]; the address is empty without a contract.
 */
export const encodeParams = (params: BridgeParams): Uint8Array =>
  encodeRlp([
    number(params.contract?.chainId ?? 0n),
    params.contract?.address ?? EMPTY_BYTES,
    utf8ToBytes(params.denom),
    number(params.delayBlocks),
    number(params.delaySeconds),
    flag(params.isPaused),
    number(params.maxCreditsPerBlock),
    bigintToBytes(params.mintLimit),
    bigintToBytes(params.withdrawLimit),
    number(params.maxWithdrawalsPerBlock),
    number(params.setIntervalBlocks),
    bigintToBytes(params.minWithdrawal),
  ])

const contractOf = (chainId: bigint, address: Uint8Array): BridgeContract | undefined =>
  address.length === 0 ? undefined : { chainId, address }

/** A state from before the way back has the defaults. */
const wayBackOf = ([limit, withdrawals, interval, least]: readonly RlpItem[]) =>
  limit === undefined
    ? {
        withdrawLimit: DEFAULT_PARAMS.withdrawLimit,
        maxWithdrawalsPerBlock: DEFAULT_PARAMS.maxWithdrawalsPerBlock,
        setIntervalBlocks: DEFAULT_PARAMS.setIntervalBlocks,
        minWithdrawal: DEFAULT_PARAMS.minWithdrawal,
      }
    : {
        withdrawLimit: bigintOf(limit),
        maxWithdrawalsPerBlock: numberOf(withdrawals),
        setIntervalBlocks: numberOf(interval),
        minWithdrawal: least === undefined ? DEFAULT_PARAMS.minWithdrawal : bigintOf(least),
      }

export const decodeParams = (value: Uint8Array): BridgeParams => {
  const [chainId, address, denom, delayBlocks, delaySeconds, paused, credits, limit, ...wayBack] = listOf(
    decodeRlp(value),
  )
  return {
    contract: contractOf(bigintOf(chainId), bytesOf(address)),
    denom: textOf(denom),
    delayBlocks: numberOf(delayBlocks),
    delaySeconds: numberOf(delaySeconds),
    isPaused: isSet(paused),
    maxCreditsPerBlock: numberOf(credits),
    mintLimit: bigintOf(limit),
    ...wayBackOf(wayBack),
  }
}

/** [next id, open id, credited, refused, remembered, contradictions] */
export const encodeProgress = (progress: Progress): Uint8Array => {
  const { nextId, openId, credited, refused, remembered, contradictions } = progress
  return encodeRlp([nextId, openId, credited, refused, remembered, contradictions].map(number))
}

export const decodeProgress = (value: Uint8Array): Progress => {
  const [nextId = 0, openId = 0, credited = 0, refused = 0, remembered = 0, contradictions = 0] = listOf(
    decodeRlp(value),
  ).map(numberOf)
  return { nextId, openId, credited, refused, remembered, contradictions }
}

/** A list of [hash, [validators], event or empty, wanted]. */
export const encodeOpen = (open: OpenEvent): Uint8Array =>
  encodeRlp(
    open.map(({ hash, validators, event, isWanted }) => [hash, [...validators], maybeEventItem(event), flag(isWanted)]),
  )

export const decodeOpen = (value: Uint8Array): OpenEvent =>
  listOf(decodeRlp(value)).map((item): Candidate => {
    const [hash, validators, event, wanted] = listOf(item)
    return {
      hash: bytesOf(hash),
      validators: listOf(validators).map(bytesOf),
      event: maybeEventOf(event),
      isWanted: isSet(wanted),
    }
  })

/** [event, height, time in nanoseconds, immediate], or [reason] of a rejected one. */
export const encodeDecided = (decided: DecidedEvent): Uint8Array =>
  decided.kind === 'rejected'
    ? encodeRlp([utf8ToBytes(decided.reason)])
    : encodeRlp([
        eventItem(decided.event),
        number(decided.height),
        bigintToBytes(decided.timeNs),
        flag(decided.isImmediate),
      ])

export const decodeDecided = (value: Uint8Array): DecidedEvent => {
  const [first, height, timeNs, isImmediate] = listOf(decodeRlp(value))
  if (height === undefined) return { kind: 'rejected', reason: textOf(first) }
  return {
    kind: 'accepted',
    event: eventOf(first),
    height: numberOf(height),
    timeNs: bigintOf(timeNs),
    isImmediate: isSet(isImmediate),
  }
}

/** [reason, event or empty] */
export const encodeRefused = ({ reason, event }: RefusedEvent): Uint8Array =>
  encodeRlp([utf8ToBytes(reason), maybeEventItem(event)])

export const decodeRefused = (value: Uint8Array): RefusedEvent => {
  const [reason, event] = listOf(decodeRlp(value))
  return { reason: textOf(reason), event: maybeEventOf(event) }
}
