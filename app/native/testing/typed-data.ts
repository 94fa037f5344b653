/** Native transactions whose signer signed them as typed data, put together by hand. */
import { create, toBinary } from '@bufbuild/protobuf'
import type { PrivateKeyAccount } from 'viem/accounts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { concatBytes } from '../../../core/bytes.ts'
import { hexToBytes, type Hex } from '../../../core/hex.ts'
import { secp256k1, tx, txSigning, web3Tx } from '../../../proto/index.ts'

export const ETHEREUM_KEY_URL = '/cosmos.evm.crypto.v1.ethsecp256k1.PubKey'

/** What cosmos/evm and Keplr have before the types of the messages. */
export const DOMAIN_TYPES = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'string' },
  { name: 'salt', type: 'string' },
]
export const COIN_TYPES = [
  { name: 'denom', type: 'string' },
  { name: 'amount', type: 'string' },
]
export const FEE_TYPES = [
  { name: 'amount', type: 'Coin[]' },
  { name: 'gas', type: 'string' },
]
export const TX_TYPES = [
  { name: 'account_number', type: 'string' },
  { name: 'chain_id', type: 'string' },
  { name: 'fee', type: 'Fee' },
  { name: 'memo', type: 'string' },
]

export const typedDataDomain = (chainId: number) => ({
  name: 'Cosmos Web3',
  version: '1.0.0',
  chainId,
  verifyingContract: 'cosmos',
  salt: '0',
})

export const addressOf = ({ address }: PrivateKeyAccount): string => encodeBech32(hexToBytes(address))

const compress = (publicKey: Hex): Uint8Array => {
  const point = hexToBytes(publicKey)
  return concatBytes(Uint8Array.of(2 + ((point[64] ?? 0) & 1)), point.subarray(1, 33))
}

export interface TypedTransaction {
  readonly account: PrivateKeyAccount
  readonly messages: readonly { readonly typeUrl: string; readonly value: Uint8Array }[]
  readonly mode: 'direct' | 'amino'
  readonly sequence: bigint
  readonly gasLimit: bigint
  readonly feeAmount: string
  readonly memo?: string
  readonly payer?: string
  readonly timeoutHeight?: bigint
  /** The signature; empty beside an extension. */
  readonly signature: Uint8Array
  readonly extension?: {
    readonly typeUrl?: string
    readonly chainId: bigint
    readonly feePayer: string
    readonly signature: Uint8Array
  }
}

const packExtension = ({ typeUrl, chainId, feePayer, signature }: NonNullable<TypedTransaction['extension']>) => ({
  typeUrl: typeUrl ?? '/cosmos.evm.types.v1.ExtensionOptionsWeb3Tx',
  value: toBinary(
    web3Tx.ExtensionOptionsWeb3TxSchema,
    create(web3Tx.ExtensionOptionsWeb3TxSchema, {
      typedDataChainId: chainId,
      feePayer,
      feePayerSig: signature,
    }),
  ),
})

/** TxRaw. */
export const encodeTypedTransaction = (fields: TypedTransaction): Uint8Array => {
  const { account, messages, memo = '', payer = '', timeoutHeight = 0n, sequence, extension } = fields
  const { DIRECT, LEGACY_AMINO_JSON } = txSigning.SignMode
  const bodyBytes = toBinary(
    tx.TxBodySchema,
    create(tx.TxBodySchema, {
      messages: messages.map((each) => ({ ...each })),
      memo,
      timeoutHeight,
      extensionOptions: extension === undefined ? [] : [packExtension(extension)],
    }),
  )
  const publicKey = create(secp256k1.PubKeySchema, { key: compress(account.publicKey) })
  const mode = fields.mode === 'direct' ? DIRECT : LEGACY_AMINO_JSON
  const authInfoBytes = toBinary(
    tx.AuthInfoSchema,
    create(tx.AuthInfoSchema, {
      signerInfos: [
        {
          publicKey: { typeUrl: ETHEREUM_KEY_URL, value: toBinary(secp256k1.PubKeySchema, publicKey) },
          modeInfo: { sum: { case: 'single', value: { mode } } },
          sequence,
        },
      ],
      fee: { amount: [{ denom: 'anat', amount: fields.feeAmount }], gasLimit: fields.gasLimit, payer },
    }),
  )
  return toBinary(tx.TxRawSchema, create(tx.TxRawSchema, { bodyBytes, authInfoBytes, signatures: [fields.signature] }))
}
