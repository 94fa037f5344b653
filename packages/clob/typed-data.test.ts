/** The vectors of docs/clob-spec.md, whose digests other code than this and the node's has made. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashTypedData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import {
  cancelAction,
  cancelAllAction,
  placeAction,
  type PlaceArguments,
  replaceAction,
  scheduleCancelAction,
} from './actions.ts'
import { clientIdOf, randomClientId } from './client-ids.ts'
import { NonceSource } from './nonces.ts'
import { signClobTx } from './sign.ts'
import { type ClobAction, type ClobMessage, type clobMessageJson, clobTypedData, NO_AGENT } from './typed-data.ts'

type JsonMessage = ReturnType<typeof clobMessageJson>
interface Vector {
  readonly name: string
  readonly code: number
  readonly scheme: number
  readonly chain: { readonly chainId: string; readonly evmChainId: number }
  readonly message: JsonMessage
  readonly digest: Hex
  readonly privateKey: Hex
  readonly signature: Hex
}

const file = join(import.meta.dirname, '..', '..', 'test', 'vectors', 'clob', 'signatures.json')
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: readonly Vector[] }
const valid = vectors.filter(({ code, scheme }) => code === 0 && scheme === 1)

const signable = (message: JsonMessage): ClobMessage => ({
  ...message,
  nonceMs: BigInt(message.nonceMs),
  actions: message.actions.map((action) => ({
    ...action,
    priceTicks: BigInt(action.priceTicks),
    qtyLots: BigInt(action.qtyLots),
    expireS: BigInt(action.expireS),
    triggerTicks: BigInt(action.triggerTicks),
    targetSeq: BigInt(action.targetSeq),
    atMs: BigInt(action.atMs),
  })),
})

/** The arguments that a trader gives for such an action. */
const placeOf = (action: ClobAction): PlaceArguments => ({
  market: action.market,
  side: action.side as 'buy' | 'sell',
  priceTicks: action.priceTicks,
  qtyLots: action.qtyLots,
  tif: action.tif === '' ? undefined : action.tif,
  stp: action.stp === '' ? undefined : action.stp,
  clientId: action.clientId,
  expireS: Number(action.expireS),
  trigger:
    action.triggerKind === 'stop' || action.triggerKind === 'take_profit'
      ? { kind: action.triggerKind, priceTicks: Number(action.triggerTicks) }
      : undefined,
  maxFills: action.maxFills,
  postOnlyMode: action.postOnlyMode === '' ? undefined : action.postOnlyMode,
})

const rebuild = (action: ClobAction): ClobAction => {
  const { kind, market, targetClientId, targetSeq, keepPriority } = action
  const target = targetClientId === '0x' ? { orderSeq: targetSeq } : { clientId: targetClientId }
  switch (kind) {
    case 'place':
      return placeAction(placeOf(action))
    case 'cancel':
      return cancelAction({ market, ...target })
    case 'cancelAll':
      return cancelAllAction({
        market,
        side: action.side === 'buy' || action.side === 'sell' ? action.side : undefined,
      })
    case 'replace':
      return replaceAction({ ...placeOf(action), target, keepPriority })
    case 'scheduleCancel':
      return scheduleCancelAction(Number(action.atMs))
  }
}

describe('typed data', () => {
  it('have vectors of each kind of action', () => {
    const kinds = new Set(valid.flatMap(({ message }) => message.actions.map(({ kind }) => kind)))
    expect([...kinds].toSorted()).toEqual(['cancel', 'cancelAll', 'place', 'replace', 'scheduleCancel'])
  })

  it.each(valid)('has the digest of the vector: $name', ({ chain, message, digest }) => {
    const { chainId: nativeChainId, evmChainId } = chain
    expect(hashTypedData(clobTypedData(signable(message), { nativeChainId, evmChainId }))).toBe(digest)
  })

  it.each(valid)('are signed from arguments as in the vector: $name', async ({ chain, message, ...vector }) => {
    const account = privateKeyToAccount(vector.privateKey)
    const { nonceMs, goodTilBlock, subaccount, owner, actions } = signable(message)
    const tx = { nonceMs, goodTilBlock, subaccount, owner, actions: actions.map(rebuild) }
    const isOwn = message.agent === NO_AGENT && owner.toLowerCase() !== account.address.toLowerCase()
    expect(isOwn).toBe(false)
    const { chainId: nativeChainId, evmChainId } = chain
    const signed = await signClobTx(account, tx, { nativeChainId, evmChainId })
    const v = Number(`0x${signed.signature.slice(-2)}`) - 27
    expect(`${signed.signature.slice(0, -2)}0${v}`).toBe(vector.signature)
    // Addresses have capitals in the one and none in the other.
    const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value).toLowerCase())
    expect(plain(signed.message)).toEqual(plain(message))
  })
})

describe('arguments that no transaction can hold', () => {
  const order = { market: 1, side: 'buy', priceTicks: 1, qtyLots: 1 } as const
  it.each([
    ['a market of 0', () => placeAction({ ...order, market: 0 })],
    ['half a tick', () => placeAction({ ...order, priceTicks: 0.5 })],
    ['too many ticks', () => placeAction({ ...order, priceTicks: 2 ** 32 })],
    ['too many lots', () => placeAction({ ...order, qtyLots: 2n ** 53n })],
    ['a client id of 17 bytes', () => placeAction({ ...order, clientId: `0x${'00'.repeat(17)}` })],
    ['half a byte', () => placeAction({ ...order, clientId: '0x1' })],
    ['no target', () => cancelAction({ market: 1, clientId: '0x' })],
    ['an order of 0', () => cancelAction({ market: 1, orderSeq: 0 })],
    ['a time below 0', () => scheduleCancelAction(-1)],
  ])('%s', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ kind: 'range' }) as unknown as Error)
  })
})

describe('nonces', () => {
  it('ascend, near the time of the chain', () => {
    const clock = { now: 1_000_000 }
    const nonces = new NonceSource(() => clock.now)
    expect([nonces.next(990_000), nonces.next(990_000)]).toEqual([1_000_000, 1_000_001])
    clock.now = 5_000_123
    expect(nonces.next(2_000_000)).toBe(2_000_123)
    clock.now = 0
    expect(nonces.next(2_000_000)).toBe(2_000_124)
  })
})

describe('client ids', () => {
  it('are bytes', () => {
    expect(clientIdOf(258)).toBe('0x0000000000000102')
    expect(randomClientId()).toMatch(/^0x[0-9a-f]{32}$/)
    expect(randomClientId()).not.toBe(randomClientId())
  })
})
