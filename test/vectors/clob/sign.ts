/**
 * Writes and signs transactions of the order book without any code of the node: protobuf-es writes them, viem signs typed
 * data, the wallets of CosmJS sign SignDoc, noble finds v. Only the definitions in proto/ are shared.
 */
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { rawEthSecp256k1PubkeyToRawAddress, rawSecp256k1PubkeyToRawAddress } from '@cosmjs/amino'
import {
  DirectEthSecp256k1Wallet,
  DirectSecp256k1Wallet,
  makeSignBytes,
  makeSignDoc,
  type OfflineDirectSigner,
} from '@cosmjs/proto-signing'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, type Hex, hashTypedData, hexToBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { clobTx } from '../../../proto/index.ts'

export interface Chain {
  readonly chainId: string
  readonly evmChainId: number
}

export type Scheme = 1 | 2 | 3
export type Init = MessageInitShape<typeof clobTx.ClobTxSchema>
export type ActionInit = MessageInitShape<typeof clobTx.ActionSchema>

const WORD = 32

export const wireOf = (init: Init): Uint8Array =>
  Uint8Array.from([0x70, ...toBinary(clobTx.ClobTxSchema, create(clobTx.ClobTxSchema, init))])

const SIDES = ['', 'buy', 'sell']
const TIFS = ['', 'gtc', 'ioc', 'fok', 'post_only']
const STPS = ['cancel_maker', 'cancel_taker', 'cancel_both', 'decrement']
const TRIGGERS = ['none', 'stop', 'take_profit']
const POST_ONLY = ['reject', 'slide']

const NOTHING = {
  kind: '',
  market: 0,
  side: '',
  priceTicks: 0n,
  qtyLots: 0n,
  tif: '',
  stp: '',
  clientId: '0x' as Hex,
  expireS: 0n,
  triggerTicks: 0n,
  triggerKind: '',
  maxFills: 0,
  postOnlyMode: '',
  targetClientId: '0x' as Hex,
  targetSeq: 0n,
  keepPriority: false,
  atMs: 0n,
}

const placeMembers = (place: clobTx.Place) => ({
  market: place.market,
  side: SIDES[place.side] ?? '',
  priceTicks: place.priceTicks,
  qtyLots: place.qtyLots,
  tif: TIFS[place.tif] ?? '',
  stp: STPS[place.stp] ?? '',
  clientId: bytesToHex(place.clientId),
  expireS: place.expireS,
  triggerTicks: place.triggerTicks,
  triggerKind: TRIGGERS[place.triggerKind] ?? '',
  maxFills: place.maxFills,
  postOnlyMode: POST_ONLY[place.postOnlyMode] ?? '',
})

const targetMembers = (target: clobTx.Cancel['target'] | undefined) => ({
  targetClientId: target?.case === 'clientId' ? bytesToHex(target.value) : ('0x' as Hex),
  targetSeq: target?.case === 'orderSeq' ? target.value : 0n,
})

const typedAction = ({ action }: clobTx.Action): typeof NOTHING => {
  switch (action.case) {
    case 'place':
      return { ...NOTHING, kind: 'place', ...placeMembers(action.value) }
    case 'cancel':
      return { ...NOTHING, kind: 'cancel', market: action.value.market, ...targetMembers(action.value.target) }
    case 'cancelAll': {
      const { market, side } = action.value
      return { ...NOTHING, kind: 'cancelAll', market, side: side === 0 ? 'both' : (SIDES[side] ?? '') }
    }
    case 'replace': {
      const { target, place, keepPriorityIfSizeDown } = action.value
      const members = place === undefined ? {} : placeMembers(place)
      const named = targetMembers(target?.target)
      return { ...NOTHING, kind: 'replace', ...members, ...named, keepPriority: keepPriorityIfSizeDown }
    }
    case 'scheduleCancel':
      return { ...NOTHING, kind: 'scheduleCancel', atMs: action.value.atMs }
    case undefined:
      return NOTHING
  }
}

const ACTION_MEMBERS =
  'string kind,uint32 market,string side,uint64 priceTicks,uint64 qtyLots,string tif,string stp,bytes clientId,' +
  'uint64 expireS,uint64 triggerTicks,string triggerKind,uint32 maxFills,string postOnlyMode,bytes targetClientId,' +
  'uint64 targetSeq,bool keepPriority,uint64 atMs'
const TX_MEMBERS = 'address owner,address agent,uint32 subaccount,uint64 nonceMs,uint32 goodTilBlock,Action[] actions'

/** The members as the specification prints them. */
const members = (text: string) =>
  text.split(',').map((member) => {
    const [type = '', name = ''] = member.split(' ')
    return { name, type }
  })

export interface Domain {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly salt: Hex
}

export const domainOf = ({ chainId, evmChainId }: Chain): Domain => ({
  name: 'nat clob',
  version: '1',
  chainId: evmChainId,
  salt: bytesToHex(sha256(new TextEncoder().encode(chainId))),
})

/** The message of EIP-712; it also shows what the transaction says, whatever its scheme. */
export const typedMessageOf = (init: Init) => {
  const { owner, agent, subaccount, nonceMs, goodTilBlock, actions } = create(clobTx.ClobTxSchema, init)
  return {
    owner: bytesToHex(owner),
    agent: bytesToHex(agent.length === 0 ? new Uint8Array(20) : agent),
    subaccount,
    nonceMs,
    goodTilBlock,
    actions: actions.map(typedAction),
  }
}

export const typedDataOf = (init: Init, chain: Chain, domain: Partial<Domain> = {}) => ({
  domain: { ...domainOf(chain), ...domain },
  types: { ClobTx: members(TX_MEMBERS), Action: members(ACTION_MEMBERS) },
  primaryType: 'ClobTx' as const,
  message: typedMessageOf(init),
})

const signDocOf = (init: Init, { chainId }: Chain) => {
  const body = create(clobTx.ClobTxSchema, init)
  body.signature = new Uint8Array(0)
  return makeSignDoc(toBinary(clobTx.ClobTxSchema, body), new Uint8Array(0), chainId, 0)
}

export const signBytesOf = (init: Init, chain: Chain): Uint8Array => makeSignBytes(signDocOf(init, chain))

export const digestOf = (init: Init, scheme: Scheme, chain: Chain, domain: Partial<Domain> = {}): Uint8Array => {
  if (scheme === 1) return hexToBytes(hashTypedData(typedDataOf(init, chain, domain)))
  return (scheme === 2 ? keccak_256 : sha256)(signBytesOf(init, chain))
}

export const addressOf = (privateKey: Uint8Array, scheme: Scheme): Uint8Array => {
  const publicKey = secp256k1.getPublicKey(privateKey, true)
  return (scheme === 3 ? rawSecp256k1PubkeyToRawAddress : rawEthSecp256k1PubkeyToRawAddress)(publicKey)
}

/** Both v, of which one gives the key. */
const withV = (rs: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): Uint8Array => {
  const v = [0, 1].find((bit) => {
    const recovered = secp256k1.Signature.fromBytes(rs, 'compact').addRecoveryBit(bit).recoverPublicKey(digest)
    return bytesToHex(recovered.toBytes(true)) === bytesToHex(publicKey)
  })
  if (v === undefined) throw new RangeError('the signature is of another key')
  return Uint8Array.from([...rs, v])
}

const walletOf = (privateKey: Uint8Array, scheme: Scheme): Promise<OfflineDirectSigner> =>
  (scheme === 3 ? DirectSecp256k1Wallet : DirectEthSecp256k1Wallet).fromKey(privateKey, 'nat')

/** 65 bytes: r, s, v of 0 or 1. */
export const sign = async (
  init: Init,
  scheme: Scheme,
  chain: Chain,
  privateKey: Uint8Array,
  domain: Partial<Domain> = {},
): Promise<Uint8Array> => {
  const publicKey = secp256k1.getPublicKey(privateKey, true)
  if (scheme === 1) {
    const account = privateKeyToAccount(bytesToHex(privateKey))
    const signature = hexToBytes(await account.signTypedData(typedDataOf(init, chain, domain)))
    return withV(signature.slice(0, 2 * WORD), digestOf(init, 1, chain, domain), publicKey)
  }
  const wallet = await walletOf(privateKey, scheme)
  const [account] = await wallet.getAccounts()
  if (account === undefined) throw new TypeError('a wallet without an account')
  const { signature } = await wallet.signDirect(account.address, signDocOf(init, chain))
  return withV(Buffer.from(signature.signature, 'base64'), digestOf(init, scheme, chain), publicKey)
}

/** The address of whoever signed, by noble. */
export const signerOf = (signature: Uint8Array, digest: Uint8Array, scheme: Scheme): Uint8Array => {
  const point = secp256k1.Signature.fromBytes(signature.slice(0, 2 * WORD), 'compact')
    .addRecoveryBit(signature[2 * WORD] ?? 0)
    .recoverPublicKey(digest)
  const publicKey = point.toBytes(true)
  return (scheme === 3 ? rawSecp256k1PubkeyToRawAddress : rawEthSecp256k1PubkeyToRawAddress)(publicKey)
}
