import { create, toBinary } from '@bufbuild/protobuf'
import { concat, keccak256, type TypedDataDefinition } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { TypedDataEncoder } from 'ethers'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { bigintToBytes, bytesToBigint, concatBytes, padLeft } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { SECP256K1_ORDER } from '../../core/signature.ts'
import { bankTx, erc20Tx, govBetaTx, secp256k1, stakingTx } from '../../proto/index.ts'
import { accountNumberOf } from './account-number.ts'
import { decodeNativeTransaction } from './decode-transaction.ts'
import { MAX_TYPED_DATA_BYTES, MAX_TYPED_DATA_VALUES } from './limits.ts'
import type { PackedMessage } from './public-key.ts'
import { requiredSigners } from './signers.ts'
import {
  addressOf,
  COIN_TYPES,
  DOMAIN_TYPES,
  encodeTypedTransaction,
  FEE_TYPES,
  TX_TYPES,
  typedDataDomain,
  type TypedTransaction,
} from './testing/typed-data.ts'
import { soleSignatureTask, verifySignatures, type SigningContext } from './verify-signatures.ts'

const CHAIN_ID = 'nat-2517-1'
const EVM_CHAIN_ID = 2517
const account = privateKeyToAccount(`0x${'07'.repeat(32)}`)
const stranger = privateKeyToAccount(`0x${'08'.repeat(32)}`)
const ADDRESS = addressOf(account)
const RECIPIENT = encodeBech32(new Uint8Array(20).fill(0x52))
const VALIDATOR = encodeBech32(new Uint8Array(20).fill(0x56), 'natvaloper')
const COIN = { denom: 'anat', amount: '1230000000000000000' }

const context: SigningContext = {
  chainId: CHAIN_ID,
  evmChainId: BigInt(EVM_CHAIN_ID),
  maxSignatures: 7n,
  account: () => ({ sequence: 5n }),
  accountNumber: accountNumberOf,
}

interface SignedMessage {
  readonly packed: PackedMessage
  readonly amino: object
}

const SEND = {
  packed: {
    typeUrl: '/cosmos.bank.v1beta1.MsgSend',
    value: toBinary(
      bankTx.MsgSendSchema,
      create(bankTx.MsgSendSchema, { fromAddress: ADDRESS, toAddress: RECIPIENT, amount: [COIN] }),
    ),
  },
  amino: {
    type: 'cosmos-sdk/MsgSend',
    value: { from_address: ADDRESS, to_address: RECIPIENT, amount: [COIN] },
  },
}
const DELEGATE = {
  packed: {
    typeUrl: '/cosmos.staking.v1beta1.MsgDelegate',
    value: toBinary(
      stakingTx.MsgDelegateSchema,
      create(stakingTx.MsgDelegateSchema, { delegatorAddress: ADDRESS, validatorAddress: VALIDATOR, amount: COIN }),
    ),
  },
  amino: {
    type: 'cosmos-sdk/MsgDelegate',
    value: { delegator_address: ADDRESS, validator_address: VALIDATOR, amount: COIN },
  },
}
const VOTE = {
  packed: {
    typeUrl: '/cosmos.gov.v1beta1.MsgVote',
    value: toBinary(
      govBetaTx.MsgVoteSchema,
      create(govBetaTx.MsgVoteSchema, { proposalId: 3n, voter: ADDRESS, option: 1 }),
    ),
  },
  amino: { type: 'cosmos-sdk/MsgVote', value: { proposal_id: '3', voter: ADDRESS, option: 1 } },
}

const TOKEN = { sender: ADDRESS, token: `0x${'ab'.repeat(20)}`, amount: '5' }
const DEPOSIT = {
  packed: {
    typeUrl: '/nat.erc20.v1.MsgDeposit',
    value: toBinary(erc20Tx.MsgDepositSchema, create(erc20Tx.MsgDepositSchema, TOKEN)),
  },
  amino: { type: 'nat/erc20/MsgDeposit', value: TOKEN },
}

const VALUE_FIRST = (type: string) => [
  { name: 'value', type },
  { name: 'type', type: 'string' },
]
const text = (name: string) => ({ name, type: 'string' })

/** What all documents have; `fee` and `tx` are added to. */
const documentOf = (memo: string) => ({
  account_number: String(accountNumberOf(hexToBytes(account.address))),
  chain_id: CHAIN_ID,
  fee: { amount: [{ denom: 'anat', amount: '400000000000000' }], gas: '200000' },
  memo,
  sequence: '5',
})

type Types = Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>

const currentForm = (types: Types, messages: Readonly<Record<string, object>>, memo = ''): TypedDataDefinition => ({
  domain: typedDataDomain(EVM_CHAIN_ID) as never,
  primaryType: 'Tx',
  types: { EIP712Domain: DOMAIN_TYPES, Coin: COIN_TYPES, Fee: FEE_TYPES, ...types },
  message: { ...documentOf(memo), ...messages },
})

/** Keplr's types for a Ledger: `types` has MsgValue. */
const olderForm = (types: Types, messages: readonly object[], payer = ADDRESS, chainId = EVM_CHAIN_ID) => ({
  domain: typedDataDomain(chainId) as never,
  primaryType: 'Tx' as const,
  types: {
    EIP712Domain: DOMAIN_TYPES,
    Tx: [...TX_TYPES, { name: 'msgs', type: 'Msg[]' }, text('sequence')],
    Fee: [text('feePayer'), ...FEE_TYPES],
    Coin: COIN_TYPES,
    Msg: [text('type'), { name: 'value', type: 'MsgValue' }],
    ...types,
  },
  message: { ...documentOf(''), fee: { ...documentOf('').fee, feePayer: payer }, msgs: messages },
})

const CURRENT = {
  send: {
    messages: [SEND],
    data: currentForm(
      {
        Tx: [...TX_TYPES, text('sequence'), { name: 'msg0', type: 'TypeMsgSend0' }],
        TypeMsgSend0: VALUE_FIRST('TypeValue0'),
        TypeValue0: [text('to_address'), text('from_address'), { name: 'amount', type: 'TypeValueAmount0[]' }],
        TypeValueAmount0: [text('denom'), text('amount')],
      },
      { msg0: SEND.amino },
      'a <memo> & é',
    ),
  },
  'deposit of tokens': {
    messages: [DEPOSIT],
    data: currentForm(
      {
        Tx: [...TX_TYPES, text('sequence'), { name: 'msg0', type: 'TypeMsgDeposit0' }],
        TypeMsgDeposit0: VALUE_FIRST('TypeValue0'),
        TypeValue0: [text('token'), text('sender'), text('amount')],
      },
      { msg0: DEPOSIT.amino },
      'a <memo> & é',
    ),
  },
  'delegate and vote': {
    messages: [DELEGATE, VOTE, VOTE],
    data: currentForm(
      {
        Tx: [
          ...TX_TYPES,
          text('sequence'),
          { name: 'msg0', type: 'TypeMsgDelegate0' },
          { name: 'msg1', type: 'TypeMsgVote0' },
          { name: 'msg2', type: 'TypeMsgVote0' },
        ],
        TypeMsgDelegate0: VALUE_FIRST('TypeValue0'),
        TypeValue0: [
          text('validator_address'),
          text('delegator_address'),
          { name: 'amount', type: 'TypeValueAmount0' },
        ],
        TypeValueAmount0: [text('denom'), text('amount')],
        TypeMsgVote0: VALUE_FIRST('TypeValue1'),
        TypeValue1: [text('voter'), text('proposal_id'), { name: 'option', type: 'int64' }],
      },
      { msg0: DELEGATE.amino, msg1: VOTE.amino, msg2: VOTE.amino },
      'a <memo> & é',
    ),
  },
} as const

const SEND_TYPES = {
  MsgValue: [text('from_address'), text('to_address'), { name: 'amount', type: 'TypeAmount[]' }],
  TypeAmount: COIN_TYPES,
}
const OLDER = {
  send: { messages: [SEND], data: olderForm(SEND_TYPES, [SEND.amino]) },
  delegate: {
    messages: [DELEGATE],
    data: olderForm(
      {
        MsgValue: [text('delegator_address'), text('validator_address'), { name: 'amount', type: 'TypeAmount' }],
        TypeAmount: COIN_TYPES,
      },
      [DELEGATE.amino],
    ),
  },
  'two votes': {
    messages: [VOTE, VOTE],
    data: olderForm(
      { MsgValue: [{ name: 'proposal_id', type: 'uint64' }, text('voter'), { name: 'option', type: 'int32' }] },
      [VOTE.amino, VOTE.amino],
    ),
  },
} as const

const fieldsOf = (messages: readonly SignedMessage[]): TypedTransaction => ({
  account,
  messages: messages.map(({ packed }) => packed),
  mode: 'amino',
  sequence: 5n,
  gasLimit: 200_000n,
  feeAmount: '400000000000000',
  signature: new Uint8Array(0),
})

const sign = async (data: unknown, by = account): Promise<Uint8Array> =>
  hexToBytes(await by.signTypedData(data as TypedDataDefinition))

const verify = (raw: Uint8Array, overrides: Partial<SigningContext> = {}): string => {
  try {
    const transaction = decodeNativeTransaction(raw)
    const signers = verifySignatures(transaction, requiredSigners(transaction), { ...context, ...overrides })
    return signers.every(({ isTypedData }) => isTypedData) ? 'typed data' : 'ordinary'
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code}`
    throw error
  }
}

describe('the digest that a wallet signs', () => {
  it.each([...Object.values(CURRENT), ...Object.values(OLDER)])(
    'is the same of viem and of ethers (%#)',
    async (each) => {
      const { data } = each as { readonly data: TypedDataDefinition }
      const { types, domain, message } = data as never as {
        types: Record<string, { name: string; type: string }[]>
        domain: object
        message: object
      }
      const of = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, types[name] ?? []]))
      const digest = keccak256(
        concat([
          '0x1901',
          TypedDataEncoder.hashStruct('EIP712Domain', of(['EIP712Domain']), domain) as `0x${string}`,
          TypedDataEncoder.hashStruct(
            'Tx',
            of(Object.keys(types).filter((name) => name !== 'EIP712Domain')),
            message,
          ) as `0x${string}`,
        ]),
      )
      expect(bytesToHex(await sign(data))).toBe(await account.sign({ hash: digest }))
    },
  )
})

describe.each(['amino', 'direct'] as const)('a transaction in the mode %s', (mode) => {
  it.each(Object.entries(CURRENT))('is taken with a signature over typed data: %s', async (_, { messages, data }) => {
    const signature = await sign(data)
    const fields = { ...fieldsOf(messages), mode, memo: 'a <memo> & é' }
    const rs = signature.subarray(0, 64)
    for (const given of [signature, rs, concatBytes(rs, Uint8Array.of(0))]) {
      expect(verify(encodeTypedTransaction({ ...fields, signature: given }))).toBe('typed data')
    }
    expect(verify(encodeTypedTransaction({ ...fields, memo: '', signature }))).toBe('sdk/4')
  })

  it.each(Object.entries(OLDER))('is taken with a signature over the older form: %s', async (_, { messages, data }) => {
    const signature = await sign(data)
    expect(verify(encodeTypedTransaction({ ...fieldsOf(messages), mode, signature }))).toBe('typed data')
  })

  it('is refused where anything of it is another', async () => {
    const { data } = OLDER.send
    const good = { ...fieldsOf([SEND]), mode, signature: await sign(data) }
    expect(verify(encodeTypedTransaction(good))).toBe('typed data')
    const others: readonly Partial<TypedTransaction>[] = [
      { messages: [SEND.packed, SEND.packed] },
      { messages: [DELEGATE.packed] },
      { memo: 'x' },
      { gasLimit: 200_001n },
      { feeAmount: '400000000000001' },
      { timeoutHeight: 9n },
      { signature: await sign(data, stranger) },
      { signature: await sign({ ...data, domain: typedDataDomain(1) }) },
      { signature: await sign(olderForm(SEND_TYPES, [SEND.amino], addressOf(stranger))) },
      { signature: good.signature.map((byte, index) => (index === 40 ? byte ^ 1 : byte)) },
      { signature: good.signature.subarray(1) },
      { signature: concatBytes(good.signature, Uint8Array.of(0)) },
      { signature: new Uint8Array(65) },
    ]
    for (const other of others) expect(verify(encodeTypedTransaction({ ...good, ...other }))).toBe('sdk/4')
    const raw = encodeTypedTransaction(good)
    expect(verify(raw, { chainId: 'nat-2517-2' })).toBe('sdk/4')
    expect(verify(raw, { evmChainId: 1n })).toBe('sdk/4')
    expect(verify(raw, { accountNumber: () => 1n })).toBe('sdk/4')
    expect(verify(raw, { account: () => ({ sequence: 6n }) })).toBe('sdk/32')
    // A gentx is signed so, before there is a chain.
    const { evmChainId: _, ...without } = context
    const transaction = decodeNativeTransaction(raw)
    expect(() => verifySignatures(transaction, requiredSigners(transaction), without)).toThrow('unauthorized')
  })

  const sendsOf = async (count: number, toAddress = RECIPIENT): Promise<Uint8Array> => {
    const names = Array.from({ length: count }, (_, index) => `msg${index}`)
    const message = create(bankTx.MsgSendSchema, { fromAddress: ADDRESS, toAddress, amount: [COIN] })
    const send = {
      packed: { ...SEND.packed, value: toBinary(bankTx.MsgSendSchema, message) },
      amino: { ...SEND.amino, value: { ...SEND.amino.value, to_address: toAddress } },
    }
    const { types } = CURRENT.send.data
    const members = names.map((name) => ({ name, type: 'TypeMsgSend0' }))
    const data = currentForm(
      { ...(types as Types), Tx: [...TX_TYPES, text('sequence'), ...members] },
      Object.fromEntries(names.map((name) => [name, send.amino])),
    )
    return encodeTypedTransaction({ ...fieldsOf(names.map(() => send)), mode, signature: await sign(data) })
  }

  it('is refused beyond the values and the bytes that are looked at', async () => {
    // Twelve values of each document, nine of each message.
    const most = Math.floor((MAX_TYPED_DATA_VALUES - 12) / 9)
    expect(verify(await sendsOf(most))).toBe('typed data')
    expect(verify(await sendsOf(most + 1))).toBe('sdk/4')
    const length = MAX_TYPED_DATA_BYTES - (await sendsOf(1, 'x'.repeat(5_000))).length + 5_000
    expect(verify(await sendsOf(1, 'x'.repeat(length)))).toBe('typed data')
    expect(verify(await sendsOf(1, 'x'.repeat(length + 1)))).toBe('sdk/4')
  })
})

describe('a payer', () => {
  it('is no part of typed data: in amino JSON it is refused, in DIRECT it is the signer', async () => {
    const fields = { ...fieldsOf([SEND]), payer: ADDRESS, signature: await sign(OLDER.send.data) }
    expect(verify(encodeTypedTransaction({ ...fields, mode: 'amino' }))).toBe('sdk/4')
    expect(verify(encodeTypedTransaction({ ...fields, mode: 'direct' }))).toBe('typed data')
  })
})

describe('what is paid', () => {
  it('is asked before any signature is looked at', async () => {
    const raw = encodeTypedTransaction({ ...fieldsOf([SEND]), signature: new Uint8Array(65) })
    const charge = (): never => {
      throw new CodedError('sdk', 11, 'out of gas')
    }
    expect(verify(raw, { charge })).toBe('sdk/11')
  })
})

describe('a transaction with the extension option of typed data', () => {
  const URLS = [
    '/cosmos.evm.types.v1.ExtensionOptionsWeb3Tx',
    '/cosmos.evm.eip712.v1.ExtensionOptionsWeb3Tx',
    '/ethermint.types.v1.ExtensionOptionsWeb3Tx',
  ]

  const signedBy = async ({
    messages,
    data,
  }: {
    readonly messages: readonly SignedMessage[]
    readonly data: unknown
  }) => ({
    ...fieldsOf(messages),
    // Keplr names the extension so.
    payer: ADDRESS,
    extension: { chainId: BigInt(EVM_CHAIN_ID), feePayer: ADDRESS, signature: await sign(data) },
  })

  it.each(URLS)('named %s is taken', async (typeUrl) => {
    for (const each of Object.values(OLDER)) {
      const fields = await signedBy(each as never)
      const raw = encodeTypedTransaction({ ...fields, extension: { ...fields.extension, typeUrl } })
      expect(verify(raw)).toBe('typed data')
      const transaction = decodeNativeTransaction(raw)
      expect(soleSignatureTask(transaction, requiredSigners(transaction), CHAIN_ID)).toBe(undefined)
    }
  })

  it('takes a recovery id with and without what Ethereum adds, and no other', async () => {
    const fields = await signedBy(OLDER.send)
    const { signature } = fields.extension
    const v = signature[64] ?? 0
    const taken = [0, 1, 2, 3, 26, 27, 28, 29, 255].filter((each) => {
      const given = concatBytes(signature.subarray(0, 64), Uint8Array.of(each))
      return (
        verify(encodeTypedTransaction({ ...fields, extension: { ...fields.extension, signature: given } })) !== 'sdk/4'
      )
    })
    expect(taken).toEqual([v - 27, v])
  })

  it('is refused where anything of it is another', async () => {
    const good = await signedBy(OLDER.send)
    const { extension } = good
    const { signature } = extension
    const highS = concatBytes(
      signature.subarray(0, 32),
      padLeft(bigintToBytes(SECP256K1_ORDER - bytesToBigint(signature.subarray(32, 64))), 32),
      Uint8Array.of(55 - (signature[64] ?? 0)),
    )
    const others: readonly Partial<TypedTransaction>[] = [
      { mode: 'direct' },
      { signature },
      { memo: 'x' },
      { timeoutHeight: 9n },
      { messages: [DELEGATE.packed] },
      { extension: { ...extension, chainId: 1n } },
      { extension: { ...extension, feePayer: addressOf(stranger) } },
      { extension: { ...extension, feePayer: '' } },
      { extension: { ...extension, feePayer: ADDRESS.toUpperCase() } },
      { extension: { ...extension, signature: await sign(OLDER.send.data, stranger) } },
      { extension: { ...extension, signature: await sign(olderForm(SEND_TYPES, [SEND.amino], ADDRESS, 1)) } },
      { extension: { ...extension, signature: await sign(CURRENT.send.data) } },
      { extension: { ...extension, signature: signature.subarray(0, 64) } },
      { extension: { ...extension, signature: highS } },
    ]
    expect(verify(encodeTypedTransaction(good))).toBe('typed data')
    for (const other of others) expect(verify(encodeTypedTransaction({ ...good, ...other }))).toBe('sdk/4')
    expect(verify(encodeTypedTransaction(good), { evmChainId: 1n })).toBe('sdk/4')
  })

  it('is refused beside an ordinary signature, which would hold without it', async () => {
    const fields = { ...fieldsOf([SEND]), signature: await sign(OLDER.send.data) }
    expect(verify(encodeTypedTransaction(fields))).toBe('typed data')
    const { extension } = await signedBy(OLDER.send)
    expect(verify(encodeTypedTransaction({ ...fields, extension }))).toBe('sdk/4')
  })

  it('is the one option that is served', async () => {
    const fields = await signedBy(OLDER.send)
    const typeUrl = `/${secp256k1.PubKeySchema.typeName}`
    expect(verify(encodeTypedTransaction({ ...fields, extension: { ...fields.extension, typeUrl } }))).toBe('sdk/2')
  })
})
