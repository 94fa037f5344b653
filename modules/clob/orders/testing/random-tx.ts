/** For tests: random transactions that are statically valid, edges of the ranges among them. Their signatures hold for nobody. */
import { EMPTY_BYTES } from '../../../../core/bytes.ts'
import type { Pick } from '../../../../store/testing/seeded-random.ts'
import {
  type Action,
  type ClobTx,
  MAX_ACTIONS,
  MAX_CLOB_TX_BYTES,
  MAX_TX_WEIGHT,
  type Place,
  type SignatureScheme,
  type Target,
} from '../clob-tx.ts'
import { encodeClobTx } from '../encode-clob-tx.ts'
import { weightOf } from '../phase-and-weight.ts'

const MAX_UINT32 = 0xffff_ffff
const MAX_UINT = Number.MAX_SAFE_INTEGER

export const randomBytes = (pick: Pick, length: number): Uint8Array => Uint8Array.from({ length }, () => pick(256))

const oneOf = <T>(pick: Pick, items: readonly T[]): T => items[pick(items.length)] as T

/** A number within 0 and `max`, in every order of magnitude, the edges often. */
export const randomUint = (pick: Pick, max: number, min = 0): number => {
  if (pick(8) === 0) return oneOf(pick, [min, max])
  const magnitude = 2 ** (1 + pick(Math.ceil(Math.log2(max + 1))))
  const value = Math.floor((pick(2 ** 31) / 2 ** 31) * magnitude) + pick(4)
  return Math.min(max, Math.max(min, value))
}

export const randomPlace = (pick: Pick, market: number): Place => {
  const tif = oneOf(pick, ['gtc', 'ioc', 'fok', 'post_only'] as const)
  const rests = tif === 'gtc' || tif === 'post_only'
  const triggerKind = oneOf(pick, ['none', 'none', 'stop', 'take_profit'] as const)
  return {
    market,
    side: oneOf(pick, ['buy', 'sell'] as const),
    priceTicks: randomUint(pick, MAX_UINT32, 1),
    qtyLots: randomUint(pick, MAX_UINT, 1),
    tif,
    stp: oneOf(pick, ['cancel_maker', 'cancel_taker', 'cancel_both', 'decrement'] as const),
    clientId: pick(2) === 0 ? EMPTY_BYTES : randomBytes(pick, 1 + pick(16)),
    expireS: rests && pick(2) === 0 ? randomUint(pick, MAX_UINT) : 0,
    triggerTicks: triggerKind === 'none' ? 0 : randomUint(pick, MAX_UINT32, 1),
    triggerKind,
    maxFills: pick(2) === 0 ? 0 : pick(201),
    postOnlyMode: oneOf(pick, ['reject', 'slide'] as const),
  }
}

const randomTarget = (pick: Pick): Target =>
  pick(2) === 0
    ? { kind: 'client', clientId: randomBytes(pick, 1 + pick(16)) }
    : { kind: 'seq', orderSeq: randomUint(pick, MAX_UINT, 1) }

export const randomAction = (pick: Pick): Action => {
  const market = randomUint(pick, MAX_UINT32, 1)
  switch (pick(6)) {
    case 0:
      return { kind: 'cancel', market, target: randomTarget(pick) }
    case 1:
      return {
        kind: 'cancelAll',
        market: randomUint(pick, MAX_UINT32),
        side: oneOf(pick, ['buy', 'sell', undefined] as const),
      }
    case 2:
      return {
        kind: 'replace',
        target: randomTarget(pick),
        place: randomPlace(pick, market),
        keepPriority: pick(2) === 0,
      }
    case 3:
      return { kind: 'scheduleCancel', atMs: randomUint(pick, MAX_UINT) }
    default:
      return { kind: 'place', place: randomPlace(pick, market) }
  }
}

const randomSignature = (pick: Pick): Uint8Array => {
  const signature = randomBytes(pick, 65)
  // Both numbers are below the order, the second below half of it, and then comes a parity.
  signature[0] = pick(255)
  signature[32] = pick(127)
  signature[64] = pick(2)
  return signature
}

/** Statically valid. Few actions mostly, at times as many as there may be. */
export const randomTx = (pick: Pick): ClobTx => {
  const count = pick(10) === 0 ? 1 + pick(MAX_ACTIONS) : 1 + pick(3)
  const actions = Array.from({ length: count }, () => randomAction(pick))
  const tx: ClobTx = {
    owner: randomBytes(pick, 20),
    subaccount: randomUint(pick, MAX_UINT32),
    nonceMs: randomUint(pick, MAX_UINT),
    goodTilBlock: randomUint(pick, MAX_UINT32),
    actions,
    sigScheme: oneOf(pick, [1, 2, 3] as const satisfies readonly SignatureScheme[]),
    signature: randomSignature(pick),
    agent: pick(3) === 0 ? randomBytes(pick, 20) : undefined,
  }
  while (weightOf(actions) > MAX_TX_WEIGHT || encodeClobTx(tx).length > MAX_CLOB_TX_BYTES) actions.pop()
  return tx
}
