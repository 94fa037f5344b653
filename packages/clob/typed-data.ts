/** A ClobTx as typed data (EIP-712), as docs/clob-spec.md has it under Scheme 1. */
import { type Address, type Hex, sha256, stringToBytes, zeroAddress } from 'viem'

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

/** What binds a signature to one chain. */
export interface ClobChain {
  /** CometBFT's name of the chain, such as `nat-2517-1`. */
  readonly nativeChainId: string
  /** Ethereum's, such as 2517. Chains of two names may share it. */
  readonly evmChainId: number
}

/** An action with the members of all kinds. Those that its kind lacks are 0, empty or false. */
export interface ClobAction {
  readonly kind: 'place' | 'cancel' | 'cancelAll' | 'replace' | 'scheduleCancel'
  readonly market: number
  readonly side: '' | 'buy' | 'sell' | 'both'
  readonly priceTicks: bigint
  readonly qtyLots: bigint
  readonly tif: '' | 'gtc' | 'ioc' | 'fok' | 'post_only'
  readonly stp: '' | 'cancel_maker' | 'cancel_taker' | 'cancel_both' | 'decrement'
  readonly clientId: Hex
  readonly expireS: bigint
  readonly triggerTicks: bigint
  readonly triggerKind: '' | 'none' | 'stop' | 'take_profit'
  readonly maxFills: number
  readonly postOnlyMode: '' | 'reject' | 'slide'
  readonly targetClientId: Hex
  readonly targetSeq: bigint
  readonly keepPriority: boolean
  readonly atMs: bigint
}

/** What is signed. */
export interface ClobMessage {
  /** Whose funds and orders these are. */
  readonly owner: Address
  /** Who signs in the place of the owner, or the zero address. */
  readonly agent: Address
  /** A label of orders, not a purse. */
  readonly subaccount: number
  /** Milliseconds since 1970. A signer uses each once. */
  readonly nonceMs: bigint
  /** The last block that may have it. */
  readonly goodTilBlock: number
  /** 1 to 50. */
  readonly actions: readonly ClobAction[]
}

export const clobDomain = ({ nativeChainId, evmChainId }: ClobChain) => ({
  name: 'nat clob',
  version: '1',
  chainId: evmChainId,
  salt: sha256(stringToBytes(nativeChainId)),
})

/** The typed data as viem's `signTypedData` and `hashTypedData` take them. */
export const clobTypedData = (message: ClobMessage, chain: ClobChain) =>
  ({ domain: clobDomain(chain), types: CLOB_TYPES, primaryType: 'ClobTx', message }) as const

/** The message as JSON has it: integers of 64 bits as decimal text. */
export const clobMessageJson = (message: ClobMessage) => ({
  ...message,
  nonceMs: `${message.nonceMs}`,
  actions: message.actions.map((action) => ({
    ...action,
    priceTicks: `${action.priceTicks}`,
    qtyLots: `${action.qtyLots}`,
    expireS: `${action.expireS}`,
    triggerTicks: `${action.triggerTicks}`,
    targetSeq: `${action.targetSeq}`,
    atMs: `${action.atMs}`,
  })),
})

/** Where a transaction has no agent. */
export const NO_AGENT: Address = zeroAddress
