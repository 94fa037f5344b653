/** Native transfers of many accounts, signed fast: everything but the sequence is encoded once. */
import { create, toBinary } from '@bufbuild/protobuf'
import secp256k1Native from 'secp256k1'
import { accountNumberOf } from '../../../app/native/account-number.ts'
import { type Address } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { concatBytes, uint64ToBytes } from '../../../core/bytes.ts'
import { keccak256 } from '../../../core/hash.ts'
import { type Hex, hexToBytes } from '../../../core/hex.ts'
import { privateKeyToAddress, signDigest } from '../../../core/signature.ts'
import { bankTx, ethSecp256k1, tx, txSigning } from '../../../proto/index.ts'

const CHAIN_ID = 'localnat-1'
/** anat a gas; the base fee of an idle devnet is below. */
const GAS_PRICE = 4_000_000_000n
const SEND_GAS = 100_000n
const FUNDING_GAS = 12_000_000n
const FUNDS = 10n ** 18n * 100n

export interface NativeAccount {
  readonly privateKey: Uint8Array
  readonly address: Address
  readonly bech32: string
  readonly publicKey: { readonly typeUrl: string; readonly value: Uint8Array }
  readonly accountNumber: bigint
  /** The body of its transfers. */
  readonly bodyBytes: Uint8Array
}

const pack = (typeUrl: string, value: Uint8Array) => ({ typeUrl, value })

const bodyOf = (message: { readonly typeUrl: string; readonly value: Uint8Array }): Uint8Array =>
  toBinary(tx.TxBodySchema, create(tx.TxBodySchema, { messages: [message] }))

/** Makes the account of a private key, or that of a number that nobody else has. */
export const createAccount = (key: string | number): NativeAccount => {
  const privateKey =
    typeof key === 'number' ? keccak256(new TextEncoder().encode('bench'), uint64ToBytes(key)) : hexToBytes(key as Hex)
  const address = privateKeyToAddress(privateKey)
  const bech32 = encodeBech32(address)
  const compressed = secp256k1Native.publicKeyCreate(privateKey, true)
  const { PubKeySchema } = ethSecp256k1
  const message = create(bankTx.MsgSendSchema, {
    fromAddress: bech32,
    toAddress: encodeBech32(keccak256(address).slice(12)),
    amount: [{ denom: 'anat', amount: '1' }],
  })
  return {
    privateKey,
    address,
    bech32,
    publicKey: pack(`/${PubKeySchema.typeName}`, toBinary(PubKeySchema, create(PubKeySchema, { key: compressed }))),
    accountNumber: accountNumberOf(address),
    bodyBytes: bodyOf(pack('/cosmos.bank.v1beta1.MsgSend', toBinary(bankTx.MsgSendSchema, message))),
  }
}

const sign = (account: NativeAccount, bodyBytes: Uint8Array, sequence: number, gasLimit: bigint): Uint8Array => {
  const { accountNumber, privateKey, publicKey } = account
  const authInfoBytes = toBinary(
    tx.AuthInfoSchema,
    create(tx.AuthInfoSchema, {
      signerInfos: [
        {
          publicKey,
          modeInfo: { sum: { case: 'single', value: { mode: txSigning.SignMode.DIRECT } } },
          sequence: BigInt(sequence),
        },
      ],
      fee: { amount: [{ denom: 'anat', amount: (gasLimit * GAS_PRICE).toString() }], gasLimit },
    }),
  )
  const document = create(tx.SignDocSchema, { bodyBytes, authInfoBytes, chainId: CHAIN_ID, accountNumber })
  const { r, s } = signDigest(keccak256(toBinary(tx.SignDocSchema, document)), privateKey)
  const signatures = [concatBytes(r, s)]
  return toBinary(tx.TxRawSchema, create(tx.TxRawSchema, { bodyBytes, authInfoBytes, signatures }))
}

export const signSend = (account: NativeAccount, sequence: number): Uint8Array =>
  sign(account, account.bodyBytes, sequence, SEND_GAS)

/** Funds for all transfers of a run. */
export const signMultiSend = (from: NativeAccount, sequence: number, to: readonly NativeAccount[]): Uint8Array => {
  const coins = (amount: bigint) => [{ denom: 'anat', amount: amount.toString() }]
  const message = create(bankTx.MsgMultiSendSchema, {
    inputs: [{ address: from.bech32, coins: coins(FUNDS * BigInt(to.length)) }],
    outputs: to.map(({ bech32 }) => ({ address: bech32, coins: coins(FUNDS) })),
  })
  const value = toBinary(bankTx.MsgMultiSendSchema, message)
  return sign(from, bodyOf(pack('/cosmos.bank.v1beta1.MsgMultiSend', value)), sequence, FUNDING_GAS)
}
