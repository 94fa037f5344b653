/** A transaction as typed data (EIP-712), which any Ethereum wallet shows and signs. */
import { ZERO_ADDRESS } from '../../../core/address.ts'
import { EMPTY_BYTES, utf8ToBytes } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import { bytesToHex } from '../../../core/hex.ts'
import type { Action, ClobTx, Place, Target } from './clob-tx.ts'

/** What binds a signature to one chain. */
export interface SigningChain {
  /** CometBFT's, such as `nat-2517-1`. */
  readonly chainId: string
  /** Ethereum's, such as 2517. Chains of two names may share it. */
  readonly evmChainId: number
}

export const DOMAIN_NAME = 'nat clob'
export const DOMAIN_VERSION = '1'

/** Members in the order in which they are hashed. */
export const CLOB_TYPES = {
  ClobTx: [
    { name: 'owner', type: 'address' },
    { name: 'agent', type: 'address' },
    { name: 'subaccount', type: 'uint32' },
    { name: 'nonceMs', type: 'uint64' },
    { name: 'goodTilBlock', type: 'uint32' },
    { name: 'actions', type: 'Action[]' },
  ],
  Action: [
    { name: 'kind', type: 'string' },
    { name: 'market', type: 'uint32' },
    { name: 'side', type: 'string' },
    { name: 'priceTicks', type: 'uint64' },
    { name: 'qtyLots', type: 'uint64' },
    { name: 'tif', type: 'string' },
    { name: 'stp', type: 'string' },
    { name: 'clientId', type: 'bytes' },
    { name: 'expireS', type: 'uint64' },
    { name: 'triggerTicks', type: 'uint64' },
    { name: 'triggerKind', type: 'string' },
    { name: 'maxFills', type: 'uint32' },
    { name: 'postOnlyMode', type: 'string' },
    { name: 'targetClientId', type: 'bytes' },
    { name: 'targetSeq', type: 'uint64' },
    { name: 'keepPriority', type: 'bool' },
    { name: 'atMs', type: 'uint64' },
  ],
} as const

/** An action with the members of all kinds. Those that its kind lacks are 0, empty or false. */
export interface FlatAction extends Omit<Place, 'side' | 'tif' | 'stp' | 'triggerKind' | 'postOnlyMode'> {
  readonly kind: Action['kind']
  readonly side: string
  readonly tif: string
  readonly stp: string
  readonly triggerKind: string
  readonly postOnlyMode: string
  readonly targetClientId: Uint8Array
  readonly targetSeq: number
  readonly keepPriority: boolean
  readonly atMs: number
}

const LACKING: Omit<FlatAction, 'kind'> = {
  market: 0,
  side: '',
  priceTicks: 0,
  qtyLots: 0,
  tif: '',
  stp: '',
  clientId: EMPTY_BYTES,
  expireS: 0,
  triggerTicks: 0,
  triggerKind: '',
  maxFills: 0,
  postOnlyMode: '',
  targetClientId: EMPTY_BYTES,
  targetSeq: 0,
  keepPriority: false,
  atMs: 0,
}

const flattenTarget = (target: Target): Pick<FlatAction, 'targetClientId' | 'targetSeq'> =>
  target.kind === 'client'
    ? { targetClientId: target.clientId, targetSeq: 0 }
    : { targetClientId: EMPTY_BYTES, targetSeq: target.orderSeq }

export const flattenAction = (action: Action): FlatAction => {
  const { kind } = action
  switch (kind) {
    case 'place':
      return { ...LACKING, ...action.place, kind }
    case 'cancel':
      return { ...LACKING, ...flattenTarget(action.target), kind, market: action.market }
    case 'cancelAll':
      return { ...LACKING, kind, market: action.market, side: action.side ?? 'both' }
    case 'replace':
      return { ...LACKING, ...action.place, ...flattenTarget(action.target), kind, keepPriority: action.keepPriority }
    case 'scheduleCancel':
      return { ...LACKING, kind, atMs: action.atMs }
  }
}

/** The salt of the domain: chains that share Ethereum's chain id differ in it. */
export const domainSalt = ({ chainId }: SigningChain): Uint8Array => sha256(utf8ToBytes(chainId))

const typedAction = (action: Action) => {
  const flat = flattenAction(action)
  return {
    ...flat,
    priceTicks: BigInt(flat.priceTicks),
    qtyLots: BigInt(flat.qtyLots),
    clientId: bytesToHex(flat.clientId),
    expireS: BigInt(flat.expireS),
    triggerTicks: BigInt(flat.triggerTicks),
    targetClientId: bytesToHex(flat.targetClientId),
    targetSeq: BigInt(flat.targetSeq),
    atMs: BigInt(flat.atMs),
  }
}

/** What scheme 1 signs, as viem's `signTypedData` takes it. A wallet's JSON has the integers as decimal text. */
export const typedDataOf = (tx: ClobTx, chain: SigningChain) =>
  ({
    domain: {
      name: DOMAIN_NAME,
      version: DOMAIN_VERSION,
      chainId: chain.evmChainId,
      salt: bytesToHex(domainSalt(chain)),
    },
    types: CLOB_TYPES,
    primaryType: 'ClobTx',
    message: {
      owner: bytesToHex(tx.owner),
      agent: bytesToHex(tx.agent ?? ZERO_ADDRESS),
      subaccount: tx.subaccount,
      nonceMs: BigInt(tx.nonceMs),
      goodTilBlock: tx.goodTilBlock,
      actions: tx.actions.map(typedAction),
    },
  }) as const
