/**
 * Sends NAT and delegates in one native transaction that an Ethereum wallet signs as typed data (EIP-712), as MetaMask and
 * a Ledger do. Run "make devnet", then `node examples/typed-data.ts`. COMET_URL and PRIVATE_KEY override the
 * devnet's. In a page `account.signTypedData` is `eth_signTypedData_v4` of the wallet.
 */
import { AminoTypes, createDefaultAminoConverters, defaultRegistryTypes, StargateClient } from '@cosmjs/stargate'
import { fromHex, toBech32 } from '@cosmjs/encoding'
import { makeAuthInfoBytes, Registry } from '@cosmjs/proto-signing'
import { PubKey } from 'cosmjs-types/cosmos/crypto/secp256k1/keys'
import { SignMode } from 'cosmjs-types/cosmos/tx/signing/v1beta1/signing'
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx'
import type { Hex, TypedDataDefinition } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const cometUrl = process.env['COMET_URL'] ?? 'http://localhost:26657'
// The first of the devnet: everyone knows it.
const privateKey = process.env['PRIVATE_KEY'] ?? '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const EVM_CHAIN_ID = 2517
const NAT = 10n ** 18n

interface Member {
  readonly name: string
  readonly type: string
}
type Types = Record<string, readonly Member[]>

const text = (name: string): Member => ({ name, type: 'string' })

/** The type of a value in the amino sign doc, and those within it, which are called by the names that lead there. */
const typeOf = (types: Types, value: unknown, path: string): string => {
  if (Array.isArray(value)) return value.length === 0 ? 'string[]' : `${typeOf(types, value[0], path)}[]`
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'number' ? 'int64' : typeof value === 'boolean' ? 'bool' : 'string'
  }
  return structOf(types, value, path, path)
}

const structOf = (types: Types, value: object, name: string, path: string): string => {
  const members = Object.entries(value)
    .sort(([a], [b]) => (a > b ? -1 : 1))
    .map(([key, inner]) => {
      const words = key.split('_').map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
      return { name: key, type: typeOf(types, inner, path + words.join('')) }
    })
  // Structs of one name with other members have other numbers.
  let index = 0
  while (`${name}${index}` in types && JSON.stringify(types[`${name}${index}`]) !== JSON.stringify(members)) index++
  types[`${name}${index}`] = members
  return `${name}${index}`
}

/** What the wallet shows: the sign doc with its messages as msg0, msg1 and so on. */
const typedData = (document: object, messages: readonly { readonly type: string }[]) => {
  const types: Types = {}
  const named = messages.map((message, index) => {
    const type = structOf(types, message, `Type${message.type.split('/').at(-1)}`, 'Type')
    return { name: `msg${index}`, type, message }
  })
  return {
    domain: { name: 'Cosmos Web3', version: '1.0.0', chainId: EVM_CHAIN_ID, verifyingContract: 'cosmos', salt: '0' },
    primaryType: 'Tx',
    types: {
      EIP712Domain: [
        text('name'),
        text('version'),
        { name: 'chainId', type: 'uint256' },
        text('verifyingContract'),
        text('salt'),
      ],
      Tx: [
        text('account_number'),
        text('chain_id'),
        { name: 'fee', type: 'Fee' },
        text('memo'),
        text('sequence'),
        ...named.map(({ name, type }) => ({ name, type })),
      ],
      Fee: [{ name: 'amount', type: 'Coin[]' }, text('gas')],
      Coin: [text('denom'), text('amount')],
      ...types,
    },
    message: { ...document, ...Object.fromEntries(named.map(({ name, message }) => [name, message])) },
  }
}

const account = privateKeyToAccount(privateKey as Hex)
// The same account as in MetaMask: twenty bytes with two names.
const address = toBech32('nat', fromHex(account.address.slice(2)))
const client = await StargateClient.connect(cometUrl)
const coin = (amount: bigint) => ({ denom: 'anat', amount: amount.toString() })

const messages = [
  {
    typeUrl: '/cosmos.bank.v1beta1.MsgSend',
    value: { fromAddress: address, toAddress: 'nat1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqehr36f', amount: [coin(NAT)] },
  },
  {
    typeUrl: '/cosmos.staking.v1beta1.MsgDelegate',
    value: {
      delegatorAddress: address,
      // The validator of the devnet; any other one will do.
      validatorAddress: process.env['VALIDATOR'] ?? 'natvaloper17w0adeg64ky0daxwd2ugyuneellmjgnxcm7j4a',
      amount: coin(NAT),
    },
  },
]
const fee = { amount: [coin(4_000_000_000n * 500_000n)], gas: '500000' }

const { accountNumber, sequence } = await client.getSequence(address)
const aminoTypes = new AminoTypes(createDefaultAminoConverters())
const data = typedData(
  {
    account_number: String(accountNumber),
    chain_id: await client.getChainId(),
    fee,
    memo: '',
    sequence: String(sequence),
  },
  messages.map((message) => aminoTypes.toAmino(message)),
)
const signature = await account.signTypedData(data as never as TypedDataDefinition)

// 02 or 03 and the first half of the point. A page recovers the key from a signature.
const point = fromHex(account.publicKey.slice(2))
const key = Uint8Array.of(2 + ((point[64] ?? 0) & 1), ...point.subarray(1, 33))
const publicKey = {
  typeUrl: '/cosmos.evm.crypto.v1.ethsecp256k1.PubKey',
  value: PubKey.encode({ key }).finish(),
}
const raw = TxRaw.fromPartial({
  bodyBytes: new Registry(defaultRegistryTypes).encodeTxBody({ messages }),
  authInfoBytes: makeAuthInfoBytes(
    [{ pubkey: publicKey, sequence }],
    fee.amount,
    Number(fee.gas),
    undefined,
    undefined,
    SignMode.SIGN_MODE_LEGACY_AMINO_JSON,
  ),
  signatures: [fromHex(signature.slice(2))],
})
const result = await client.broadcastTx(TxRaw.encode(raw).finish(), 30_000, 300)
if (result.code !== 0) throw new TypeError(result.rawLog)
console.log(`sent and delegated 1 NAT in block ${result.height}: ${result.transactionHash}`)
client.disconnect()
