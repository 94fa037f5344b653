import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { createMultisigThresholdPubkey, encodeSecp256k1Pubkey, pubkeyToAddress } from '@cosmjs/amino'
import { isOfflineDirectSigner } from '@cosmjs/proto-signing'
import { makeMultisignedTxBytes } from '@cosmjs/stargate'
import { describe, expect, it } from 'vitest'
import { parseAccountAddress, decodeBech32, encodeBech32 } from '../../core/bech32.ts'
import { bigintToBytes, bytesToBigint, concatBytes, equalBytes, padLeft } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { sha256 } from '../../core/hash.ts'
import { SECP256K1_ORDER } from '../../core/signature.ts'
import { tx, txSigning } from '../../proto/index.ts'
import { decodeNativeTransaction } from './decode-transaction.ts'
import { DEFAULT_AUTH_PARAMETERS } from '../../modules/auth/index.ts'
import { transactionGas } from './gas.ts'
import { packPublicKey, parsePublicKey, type PublicKey, publicKeyAddress } from './public-key.ts'
import { requiredSigners } from './signers.ts'
import {
  CHAIN_ID,
  createWallet,
  DEFAULT_SIGNER,
  encodeTxRaw,
  exampleMessages,
  FEE,
  RECIPIENT,
  type SignOptions,
  signTransaction,
  WALLET_NAMES,
  type WalletName,
} from './testing/cosmjs.ts'
import { resolveSigners, verifySignatures, type SigningContext } from './verify-signatures.ts'

const contextOf = (publicKey?: PublicKey, overrides: Partial<SigningContext> = {}): SigningContext => ({
  chainId: CHAIN_ID,
  maxSignatures: 7n,
  account: () => ({ sequence: BigInt(DEFAULT_SIGNER.sequence), publicKey }),
  accountNumber: () => DEFAULT_SIGNER.accountNumber,
  ...overrides,
})

const verify = (raw: Uint8Array, context = contextOf()) => {
  const transaction = decodeNativeTransaction(raw)
  return verifySignatures(transaction, requiredSigners(transaction), context)
}

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

const operatorOf = (address: string): string => encodeBech32(decodeBech32(address), 'natvaloper')

const sendOf = async (name: WalletName, options: SignOptions = {}) => {
  const { wallet, address } = await createWallet(name)
  const messages = exampleMessages(address, operatorOf(address)).slice(0, 1)
  return await signTransaction(wallet, address, messages, options)
}

describe.each(WALLET_NAMES)('a transaction that CosmJS signs with %s', (name) => {
  it('verifies for every message', async () => {
    const { wallet, address, publicKey } = await createWallet(name)
    const messages = exampleMessages(address, operatorOf(address))
    for (const message of messages) {
      const raw = encodeTxRaw(
        await signTransaction(wallet, address, [message], { memo: 'a <memo> & é \u0001', timeoutHeight: 99n }),
      )
      const transaction = decodeNativeTransaction(raw)
      expect(transaction.messages[0]?.typeUrl).toBe(message.typeUrl)
      expect(transaction).toMatchObject({ raw, hash: sha256(raw), memo: 'a <memo> & é \u0001', timeoutHeight: 99n })
      expect(transaction.fee).toEqual({
        coins: [{ denom: 'anat', amount: 400_000_000_000_000n }],
        gasLimit: 200_000n,
        payer: '',
      })
      const signers = requiredSigners(transaction)
      expect(signers).toEqual([parseAccountAddress(address)])
      const [signer] = verifySignatures(transaction, signers, contextOf())
      expect(signer).toMatchObject({ isNewKey: true, publicKey: { type: name.split(' ')[0], key: publicKey } })
    }
    const all = encodeTxRaw(await signTransaction(wallet, address, messages))
    expect(verify(all)).toHaveLength(1)
  })

  it('verifies where it names its payer', async () => {
    const { address } = await createWallet(name)
    const fee = { amount: [{ denom: 'anat', amount: '400000000000000' }], gas: '200000', payer: address }
    expect(verify(encodeTxRaw(await sendOf(name, { fee })))).toHaveLength(1)
  })

  it('verifies with the key of the account when it brings none', async () => {
    const signed = await sendOf(name, { memo: 'key left out' })
    const key = decodeNativeTransaction(encodeTxRaw(signed)).signerInfos[0]?.publicKey
    expect(key).toBeDefined()
    const authInfo = fromBinary(tx.AuthInfoSchema, signed.authInfoBytes)
    const infos = authInfo.signerInfos.map(({ publicKey: _, ...info }) => info)
    const authInfoBytes = toBinary(tx.AuthInfoSchema, create(tx.AuthInfoSchema, { ...authInfo, signerInfos: infos }))
    const raw = encodeTxRaw({ ...signed, authInfoBytes })
    expect(refusal(() => verify(raw))).toBe('sdk/8 pubkey on account is not set: invalid pubkey')
    // Amino JSON does not sign the signer infos, DIRECT does.
    const expected = name.endsWith('amino') ? /^accepted$/ : /^sdk\/4 .*\(unable to verify single signer signature\)/
    expect(refusal(() => verify(raw, contextOf(key)))).toMatch(expected)
  })

  it('is refused for another chain, account number or signature with sdk/4', async () => {
    const good = await sendOf(name)
    const [signature = new Uint8Array(0)] = good.signatures
    const flipped = signature.map((byte, i) => (i === 40 ? byte ^ 1 : byte))
    const highS = concatBytes(
      signature.subarray(0, 32),
      padLeft(bigintToBytes(SECP256K1_ORDER - bytesToBigint(signature.subarray(32))), 32),
    )
    const bad = [
      encodeTxRaw(await sendOf(name, { chainId: 'nat-test-2' })),
      encodeTxRaw(await sendOf(name, { accountNumber: 1n })),
      ...[flipped, highS, signature.subarray(1), new Uint8Array(64), new Uint8Array(0)].map((each) =>
        encodeTxRaw({ ...good, signatures: [each] }),
      ),
    ]
    const text = name.endsWith('amino')
      ? `sdk/4 signature verification failed; please verify account number (${DEFAULT_SIGNER.accountNumber}), sequence (5) and chain-id (nat-test-1): unauthorized`
      : `sdk/4 signature verification failed; please verify account number (${DEFAULT_SIGNER.accountNumber}) and chain-id (nat-test-1): (unable to verify single signer signature): unauthorized`
    for (const raw of bad) expect(refusal(() => verify(raw))).toBe(text)
  })

  it('takes 65 bytes from Ethereum keys only', async () => {
    const good = await sendOf(name)
    const [signature = new Uint8Array(0)] = good.signatures
    const raw = encodeTxRaw({ ...good, signatures: [concatBytes(signature, Uint8Array.of(27))] })
    expect(refusal(() => verify(raw))).toMatch(name.startsWith('eth') ? /^accepted$/ : /^sdk\/4 /)
  })

  it('says sdk/32 for another sequence, also when the signature is wrong', async () => {
    const text = 'sdk/32 account sequence mismatch, expected 5, got 4: incorrect account sequence'
    const old = await sendOf(name, { sequence: 4 })
    expect(refusal(() => verify(encodeTxRaw(old)))).toBe(text)
    expect(refusal(() => verify(encodeTxRaw({ ...old, signatures: [new Uint8Array(64)] })))).toBe(text)
  })

  it('is refused without signatures, with too many, and of unknown accounts', async () => {
    const good = await sendOf(name)
    const { address } = await createWallet(name)
    const [signature = new Uint8Array(0)] = good.signatures
    expect(refusal(() => verify(encodeTxRaw({ ...good, signatures: [] })))).toBe('sdk/15 no signatures supplied')
    expect(refusal(() => verify(encodeTxRaw({ ...good, signatures: [signature, signature] })))).toBe(
      'sdk/4 wrong number of signers; expected 1, got 2: unauthorized',
    )
    const nobody = contextOf(undefined, { account: () => undefined })
    expect(refusal(() => verify(encodeTxRaw(good), nobody))).toBe(
      `sdk/9 account ${address} does not exist: unknown address`,
    )
  })

  it('is refused with sdk/8 when the sender is another', async () => {
    const { wallet, address } = await createWallet(name)
    const messages = exampleMessages(RECIPIENT, operatorOf(RECIPIENT)).slice(0, 1)
    const raw = encodeTxRaw(await signTransaction(wallet, address, messages))
    expect(refusal(() => verify(raw))).toBe(
      `sdk/8 pubKey does not match signer address ${RECIPIENT} with signer index: 0: invalid pubkey`,
    )
    const both = [...messages, ...exampleMessages(address, operatorOf(address)).slice(0, 1)]
    const two = encodeTxRaw(await signTransaction(wallet, address, both))
    expect(refusal(() => verify(two))).toBe('sdk/4 wrong number of signers; expected 2, got 1: unauthorized')
  })

  it.each([0, 2])('is refused with sdk/4 when it says %i times how it was signed', async (count) => {
    const good = await sendOf(name)
    const authInfo = fromBinary(tx.AuthInfoSchema, good.authInfoBytes)
    authInfo.signerInfos = Array.from({ length: count }, () => authInfo.signerInfos).flat()
    const raw = encodeTxRaw({ ...good, authInfoBytes: toBinary(tx.AuthInfoSchema, authInfo) })
    const text = `sdk/4 invalid number of signer;  expected: 1, got ${count}: unauthorized`
    expect(refusal(() => verify(raw))).toBe(text)
    const transaction = decodeNativeTransaction(raw)
    expect(refusal(() => resolveSigners(transaction, requiredSigners(transaction), contextOf()))).toBe(text)
  })

  it('costs gas by bytes and by the kind of its key', async () => {
    const raw = encodeTxRaw(await sendOf(name))
    const transaction = decodeNativeTransaction(raw)
    const gas = transactionGas(transaction, verify(raw), DEFAULT_AUTH_PARAMETERS)
    expect(gas).toBe(BigInt(raw.length) * 10n + (name.startsWith('eth') ? 21_000n : 1_000n))
  })
})

describe('a transaction of two signers', () => {
  const signTwice = async (swapped: boolean) => {
    const alice = await createWallet('secp256k1 direct', 21)
    const bob = await createWallet('eth_secp256k1 direct', 22)
    const signers = [alice, bob]
    const messages = signers.flatMap(({ address }) => exampleMessages(address, operatorOf(address)).slice(0, 1))
    const [first, second] = await Promise.all(
      signers.map(({ wallet, address }) => signTransaction(wallet, address, messages)),
    )
    if (first === undefined || second === undefined) throw new TypeError('no transaction')
    const infos = [first, second].flatMap((each) => fromBinary(tx.AuthInfoSchema, each.authInfoBytes).signerInfos)
    const authInfo = fromBinary(tx.AuthInfoSchema, first.authInfoBytes)
    authInfo.signerInfos = infos
    const authInfoBytes = toBinary(tx.AuthInfoSchema, authInfo)
    const { bodyBytes } = first
    const signatures: Uint8Array[] = []
    for (const { wallet, address } of signers) {
      if (!isOfflineDirectSigner(wallet)) throw new TypeError('not a direct signer')
      const doc = { bodyBytes, authInfoBytes, chainId: CHAIN_ID, accountNumber: DEFAULT_SIGNER.accountNumber }
      const { signature } = await wallet.signDirect(address, doc)
      signatures.push(Buffer.from(signature.signature, 'base64'))
    }
    const raw = encodeTxRaw({ bodyBytes, authInfoBytes, signatures: swapped ? signatures.toReversed() : signatures })
    return { raw, addresses: signers.map(({ address }) => address) }
  }

  it('verifies in the order of its messages, the first signer being the payer', async () => {
    const { raw, addresses } = await signTwice(false)
    const signers = verify(raw)
    expect(signers.map(({ address }) => encodeBech32(address))).toEqual(addresses)
    expect(signers.map(({ publicKey }) => publicKey.type)).toEqual(['secp256k1', 'eth_secp256k1'])
    expect(transactionGas(decodeNativeTransaction(raw), signers, DEFAULT_AUTH_PARAMETERS)).toBe(
      BigInt(raw.length) * 10n + 22_000n,
    )
  })

  it('is refused with the signatures in another order', async () => {
    const { raw } = await signTwice(true)
    expect(refusal(() => verify(raw))).toMatch(/^sdk\/4 /)
  })
})

describe('sign modes', () => {
  it.each([
    [txSigning.SignMode.UNSPECIFIED, 'SIGN_MODE_UNSPECIFIED'],
    [txSigning.SignMode.TEXTUAL, 'SIGN_MODE_TEXTUAL'],
    [txSigning.SignMode.DIRECT_AUX, 'SIGN_MODE_DIRECT_AUX'],
    [txSigning.SignMode.EIP_191, 'SIGN_MODE_EIP_191'],
    [999, '999'],
  ])('%i is refused by name', async (mode, text) => {
    const signed = await sendOf('secp256k1 direct')
    const authInfo = fromBinary(tx.AuthInfoSchema, signed.authInfoBytes)
    for (const info of authInfo.signerInfos) {
      info.modeInfo = create(tx.ModeInfoSchema, { sum: { case: 'single', value: { mode: mode as never } } })
    }
    const raw = encodeTxRaw({ ...signed, authInfoBytes: toBinary(tx.AuthInfoSchema, authInfo) })
    expect(refusal(() => verify(raw))).toContain(`(unsupported sign mode ${text}: invalid request): unauthorized`)
  })

  it('of amino JSON does not sign fields that the node does not know', async () => {
    const signed = await sendOf('secp256k1 amino')
    // Field 1024, a varint.
    const raw = encodeTxRaw({ ...signed, bodyBytes: concatBytes(signed.bodyBytes, Uint8Array.of(0x80, 0x40, 0x01)) })
    expect(decodeNativeTransaction(raw).hasUnknownFields).toBe(true)
    expect(refusal(() => verify(raw))).toMatch(/^sdk\/4 /)
  })
})

describe('a multisig of CosmJS', () => {
  const members = async () => await Promise.all([11, 12, 13].map((byte) => createWallet('secp256k1 amino', byte)))
  const multisigOf = async (threshold: number) =>
    createMultisigThresholdPubkey(
      (await members()).map(({ publicKey }) => encodeSecp256k1Pubkey(publicKey)),
      threshold,
    )

  const signAs = async (signing: readonly number[], threshold = 2) => {
    const multisig = await multisigOf(threshold)
    const address = pubkeyToAddress(multisig, 'nat')
    const messages = exampleMessages(address, operatorOf(address)).slice(0, 3)
    const signatures = new Map<string, Uint8Array>()
    let bodyBytes: Uint8Array = new Uint8Array(0)
    for (const [index, member] of (await members()).entries()) {
      if (!signing.includes(index)) continue
      const signed = await signTransaction(member.wallet, member.address, messages)
      bodyBytes = signed.bodyBytes
      signatures.set(member.address, signed.signatures[0] ?? new Uint8Array(0))
    }
    const raw = makeMultisignedTxBytes(multisig, DEFAULT_SIGNER.sequence, FEE, bodyBytes, signatures)
    return { raw, address }
  }

  it.each([[[0, 1]], [[0, 2]], [[1, 2]], [[0, 1, 2]]])('verifies when %j sign', async (signing) => {
    const { raw, address } = await signAs(signing)
    const signers = verify(raw)
    expect(signers.map((signer) => encodeBech32(signer.address))).toEqual([address])
    const gas = transactionGas(decodeNativeTransaction(raw), signers, DEFAULT_AUTH_PARAMETERS)
    expect(gas).toBe(BigInt(raw.length) * 10n + 1_000n * BigInt(signing.length))
  })

  it('is refused with too few signatures', async () => {
    const { raw } = await signAs([1])
    expect(refusal(() => verify(raw))).toMatch(/^sdk\/4 /)
  })

  it('is refused when any byte of its signatures or bits is another', async () => {
    const { raw } = await signAs([0, 2])
    const { bodyBytes, authInfoBytes, signatures } = fromBinary(tx.TxRawSchema, raw)
    const [signature = new Uint8Array(0)] = signatures
    for (let at = 0; at < signature.length; at++) {
      const changed = signature.map((byte, i) => (i === at ? byte ^ 0x10 : byte))
      expect(refusal(() => verify(encodeTxRaw({ bodyBytes, authInfoBytes, signatures: [changed] })))).toMatch(
        /^sdk\/4 /,
      )
    }
    const authInfo = fromBinary(tx.AuthInfoSchema, authInfoBytes)
    const sum = authInfo.signerInfos[0]?.modeInfo?.sum
    for (let bits = 0; bits < 256; bits += 32) {
      if (sum?.case !== 'multi' || sum.value.bitarray === undefined || bits === 0b1010_0000) continue
      sum.value.bitarray.elems = Uint8Array.of(bits)
      const changed = encodeTxRaw({ bodyBytes, authInfoBytes: toBinary(tx.AuthInfoSchema, authInfo), signatures })
      expect(refusal(() => verify(changed))).toMatch(/^sdk\/4 /)
    }
  })

  it('has the address that CosmJS gives it, and packs as it came', async () => {
    for (const threshold of [1, 2, 3]) {
      const { raw, address } = await signAs([0, 1, 2], threshold)
      const key = decodeNativeTransaction(raw).signerInfos[0]?.publicKey
      if (key === undefined) throw new TypeError('no key')
      expect(encodeBech32(publicKeyAddress(key))).toBe(address)
      expect(parsePublicKey(packPublicKey(key))).toEqual(key)
      const packed = fromBinary(tx.AuthInfoSchema, fromBinary(tx.TxRawSchema, raw).authInfoBytes).signerInfos[0]
      expect(equalBytes(packPublicKey(key).value, packed?.publicKey?.value ?? new Uint8Array(0))).toBe(true)
    }
  })
})
