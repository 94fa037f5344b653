/** Signatures byte for byte as CosmJS makes them. */
import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { createMultisigThresholdPubkey, pubkeyToAddress, Secp256k1Wallet } from '@cosmjs/amino'
import { makeMultisignedTxBytes } from '@cosmjs/stargate'
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx'
import { describe, expect, it } from 'vitest'
import { makeSignDoc } from '@cosmjs/amino'
import { publicKeyAddress } from '../../../app/native/public-key.ts'
import { accountNumberOf } from '../../../app/native/account-number.ts'
import { verifySignatures } from '../../../app/native/verify-signatures.ts'
import { requiredSigners } from '../../../app/native/signers.ts'
import {
  CHAIN_ID,
  createWallet,
  DEFAULT_SIGNER,
  exampleMessages,
  FEE,
  RECIPIENT,
  signTransaction as signWithCosmjs,
  WALLET_NAMES,
} from '../../../app/native/testing/cosmjs.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { bankTx, tx } from '../../../proto/index.ts'
import { makeMultisig, publicKeyOf } from '../keys/public-key-json.ts'
import { combineSignatures, SIGN_MODES, signForMultisig, signTransaction } from './sign.ts'
import { checkTransaction, encodeTransaction, pack } from './tx-document.ts'

const DATA = {
  chainId: CHAIN_ID,
  accountNumber: DEFAULT_SIGNER.accountNumber,
  sequence: BigInt(DEFAULT_SIGNER.sequence),
}

const sendFrom = (address: string, memo = 'a <memo> & "more"'): tx.Tx =>
  create(tx.TxSchema, {
    body: {
      messages: [
        create(
          AnySchema,
          pack(bankTx.MsgSendSchema, {
            fromAddress: address,
            toAddress: RECIPIENT,
            amount: [{ denom: 'anat', amount: '1230000000000000000' }],
          }),
        ),
      ],
      memo,
      timeoutHeight: 99n,
    },
    authInfo: { fee: { amount: [...FEE.amount], gasLimit: BigInt(FEE.gas) } },
  })

describe('a transaction', () => {
  it.each(WALLET_NAMES)('signed by a key of %s is that of CosmJS', async (name) => {
    const { wallet, address } = await createWallet(name)
    const [algorithm, mode] = name.split(' ') as ['secp256k1' | 'eth_secp256k1', 'direct' | 'amino']
    const privateKey = new Uint8Array(32).fill(7)
    const publicKey = publicKeyOf(privateKey, algorithm)
    expect(encodeBech32(publicKeyAddress(publicKey))).toBe(address)
    const options = { memo: 'a <memo> & "more"', timeoutHeight: 99n }
    const [message] = exampleMessages(address, '')
    const expected = await signWithCosmjs(wallet, address, message === undefined ? [] : [message], options)
    const signed = signTransaction(
      sendFrom(address),
      { publicKey, privateKey },
      SIGN_MODES[mode === 'amino' ? 'amino-json' : 'direct'],
      DATA,
    )
    expect(Buffer.from(encodeTransaction(signed)).toString('hex')).toBe(
      Buffer.from(TxRaw.encode(expected).finish()).toString('hex'),
    )
  })

  it('is not signed by an account that is none of its signers', () => {
    const privateKey = new Uint8Array(32).fill(8)
    const key = { publicKey: publicKeyOf(privateKey, 'secp256k1'), privateKey }
    expect(() => signTransaction(sendFrom(RECIPIENT), key, SIGN_MODES.direct, DATA)).toThrow(
      expect.objectContaining({ codespace: 'cli', code: 19 }),
    )
  })

  it('of two accounts is signed by one after the other in amino JSON, in any order', () => {
    const keys = [1, 2].map((byte) => {
      const privateKey = new Uint8Array(32).fill(byte)
      return { privateKey, publicKey: publicKeyOf(privateKey, byte === 1 ? 'secp256k1' : 'eth_secp256k1') }
    })
    const [first, second] = keys.map(({ publicKey }) => sendFrom(encodeBech32(publicKeyAddress(publicKey)))) as [
      tx.Tx,
      tx.Tx,
    ]
    const both = create(tx.TxSchema, {
      body: { messages: [...(first.body?.messages ?? []), ...(second.body?.messages ?? [])] },
      ...(first.authInfo === undefined ? {} : { authInfo: first.authInfo }),
    })
    const sign = (transaction: tx.Tx, key: (typeof keys)[number]): tx.Tx => {
      const accountNumber = accountNumberOf(publicKeyAddress(key.publicKey))
      return signTransaction(transaction, key, SIGN_MODES['amino-json'], { ...DATA, accountNumber })
    }
    const context = {
      chainId: CHAIN_ID,
      maxSignatures: 7n,
      account: () => ({ sequence: DATA.sequence }),
      accountNumber: accountNumberOf,
    }
    for (const order of [keys, keys.toReversed()]) {
      const signed = checkTransaction(order.reduce(sign, both))
      expect(verifySignatures(signed, requiredSigners(signed), context).length).toBe(2)
    }
    expect(() => signTransaction(both, keys[0] as (typeof keys)[0], SIGN_MODES.direct, DATA)).toThrow(
      '--sign-mode amino-json',
    )
  })
})

describe('a multisig', () => {
  const privateKeys = [1, 2, 3].map((byte) => new Uint8Array(32).fill(0x20 + byte))
  const keys = privateKeys.map((privateKey) => ({ privateKey, publicKey: publicKeyOf(privateKey, 'secp256k1') }))
  const multisig = makeMultisig(
    keys.map(({ publicKey }) => publicKey),
    2,
  )
  const address = encodeBech32(publicKeyAddress(multisig))
  const partial = (index: number, transaction = sendFrom(address, '')) => {
    const key = keys[index] as (typeof keys)[number]
    const { data } = signForMultisig(transaction, key, DATA)
    const signature = data?.sum.case === 'single' ? data.sum.value.signature : new Uint8Array(0)
    return { publicKey: key.publicKey, signature }
  }

  it('signs as that of CosmJS does, whatever the order of the signatures', async () => {
    const pubkeys = keys.map(({ publicKey }) => ({
      type: 'tendermint/PubKeySecp256k1',
      value: Buffer.from(publicKey.key).toString('base64'),
    }))
    const theirs = createMultisigThresholdPubkey(pubkeys, 2, true)
    expect(pubkeyToAddress(theirs, 'nat')).toBe(address)
    const amount = [{ denom: 'anat', amount: '1230000000000000000' }]
    const message = { type: 'cosmos-sdk/MsgSend', value: { from_address: address, to_address: RECIPIENT, amount } }
    const document = makeSignDoc([message], FEE, CHAIN_ID, '', DATA.accountNumber, DEFAULT_SIGNER.sequence, 99n)
    const signatures = new Map<string, Uint8Array>()
    for (const index of [2, 0]) {
      const wallet = await Secp256k1Wallet.fromKey(privateKeys[index] as Uint8Array, 'nat')
      const own = (await wallet.getAccounts())[0]?.address ?? ''
      const { signature } = await wallet.signAmino(own, document)
      signatures.set(own, Buffer.from(signature.signature, 'base64'))
    }
    const { bodyBytes } = checkTransaction(sendFrom(address, ''))
    const expected = makeMultisignedTxBytes(theirs, DEFAULT_SIGNER.sequence, FEE, bodyBytes, signatures)
    const signed = combineSignatures(sendFrom(address, ''), multisig, [partial(2), partial(0)], DATA)
    expect(Buffer.from(encodeTransaction(signed)).toString('hex')).toBe(Buffer.from(expected).toString('hex'))
  })

  it('refuses too few signatures, the same twice, those of others and over something else', () => {
    const refused = expect.objectContaining({ codespace: 'cli', code: 19 }) as Error
    const combine = (...partials: readonly ReturnType<typeof partial>[]) =>
      combineSignatures(sendFrom(address, ''), multisig, partials, DATA)
    expect(() => combine(partial(0))).toThrow(refused)
    expect(() => combine(partial(0), partial(0))).toThrow(refused)
    expect(() => combine(partial(0), partial(1, sendFrom(address, 'another')))).toThrow(refused)
    const stranger = publicKeyOf(new Uint8Array(32).fill(9), 'secp256k1')
    expect(() => combine(partial(0), { ...partial(1), publicKey: stranger })).toThrow(refused)
    expect(combine(partial(0), partial(1), partial(2)).signatures.length).toBe(1)
  })
})
