/** Native transactions of viem's accounts: their keys are Ethereum's, and viem signs. */
import { create, toBinary } from '@bufbuild/protobuf'
import type { PrivateKeyAccount } from 'viem/accounts'
import { accountNumberOf } from '../../app/native/account-number.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { concatBytes } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../core/hex.ts'
import { bankTx, secp256k1, tx, txSigning } from '../../proto/index.ts'

export interface Packed {
  readonly typeUrl: string
  readonly value: Uint8Array
}

export interface NativeSigner {
  readonly account: PrivateKeyAccount
  readonly sequence: number
}

export interface NativeFields {
  readonly chainId: string
  readonly messages: readonly Packed[]
  /** The first pays. */
  readonly signers: readonly NativeSigner[]
  readonly gas?: bigint
  /** anat per gas. */
  readonly gasPrice?: bigint
  readonly memo?: string
  /** Named in the fee. */
  readonly payer?: string
  readonly timeoutHeight?: bigint
}

const GWEI = 1_000_000_000n
const KEY_URL = '/cosmos.evm.crypto.v1.ethsecp256k1.PubKey'

export const bech32Of = ({ address }: PrivateKeyAccount): string => encodeBech32(hexToBytes(address))

/** 02 or 03 and the first half of the point. */
const compress = (publicKey: Hex): Uint8Array => {
  const point = hexToBytes(publicKey)
  return concatBytes(Uint8Array.of(2 + ((point[64] ?? 0) & 1)), point.subarray(1, 33))
}

const packedKey = ({ publicKey }: PrivateKeyAccount): Packed => ({
  typeUrl: KEY_URL,
  value: toBinary(secp256k1.PubKeySchema, create(secp256k1.PubKeySchema, { key: compress(publicKey) })),
})

export interface WireCoin {
  readonly denom: string
  readonly amount: string
}

export const sendMessage = (from: PrivateKeyAccount, to: Uint8Array, amount: readonly WireCoin[]): Packed => ({
  typeUrl: '/cosmos.bank.v1beta1.MsgSend',
  value: toBinary(
    bankTx.MsgSendSchema,
    create(bankTx.MsgSendSchema, {
      fromAddress: bech32Of(from),
      toAddress: encodeBech32(to),
      amount: [...amount],
    }),
  ),
})

export const multiSendMessage = (from: PrivateKeyAccount, to: readonly Uint8Array[], amount: bigint): Packed => {
  const coins = (each: bigint): WireCoin[] => [{ denom: 'anat', amount: each.toString() }]
  const message = create(bankTx.MsgMultiSendSchema, {
    inputs: [{ address: bech32Of(from), coins: coins(amount * BigInt(to.length)) }],
    outputs: to.map((each) => ({ address: encodeBech32(each), coins: coins(amount) })),
  })
  return { typeUrl: '/cosmos.bank.v1beta1.MsgMultiSend', value: toBinary(bankTx.MsgMultiSendSchema, message) }
}

/** SIGN_MODE_DIRECT by every signer. */
export const signNative = async (fields: NativeFields): Promise<Uint8Array> => {
  const { chainId, messages, signers, gas = 200_000n, gasPrice = 40n * GWEI, memo = '', timeoutHeight = 0n } = fields
  const bodyBytes = toBinary(
    tx.TxBodySchema,
    create(tx.TxBodySchema, { messages: messages.map((each) => ({ ...each })), memo, timeoutHeight }),
  )
  const mode = txSigning.SignMode.DIRECT
  const authInfo = create(tx.AuthInfoSchema, {
    signerInfos: signers.map(({ account, sequence }) => ({
      publicKey: packedKey(account),
      modeInfo: { sum: { case: 'single' as const, value: { mode } } },
      sequence: BigInt(sequence),
    })),
    fee: { amount: [{ denom: 'anat', amount: (gas * gasPrice).toString() }], gasLimit: gas, payer: fields.payer ?? '' },
  })
  const authInfoBytes = toBinary(tx.AuthInfoSchema, authInfo)
  const signatures: Uint8Array[] = []
  for (const { account } of signers) {
    const accountNumber = accountNumberOf(hexToBytes(account.address))
    const doc = create(tx.SignDocSchema, { bodyBytes, authInfoBytes, chainId, accountNumber })
    const hash = bytesToHex(keccak256(toBinary(tx.SignDocSchema, doc)))
    const signature = hexToBytes(await account.sign({ hash }))
    signatures.push(signature.subarray(0, 64))
  }
  return toBinary(tx.TxRawSchema, create(tx.TxRawSchema, { bodyBytes, authInfoBytes, signatures }))
}
