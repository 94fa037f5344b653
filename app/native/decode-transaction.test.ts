import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { concatBytes, EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { bankTx, ed25519, govTx, multisig, multisigSignature, secp256k1, tx, txSigning } from '../../proto/index.ts'
import { checkTimeoutHeight, decodeNativeTransaction } from './decode-transaction.ts'
import type { PackedMessage } from './public-key.ts'
import { requiredSigners } from './signers.ts'
import { createWallet, encodeTxRaw, exampleMessages, signTransaction, WALLET_NAMES } from './testing/cosmjs.ts'
import { verifySignatures } from './verify-signatures.ts'

const ALICE = encodeBech32(new Uint8Array(20).fill(1))
const BOB = encodeBech32(new Uint8Array(20).fill(2))

const packed = (typeUrl: string, value: Uint8Array): PackedMessage => ({ typeUrl, value })
const send = (from = ALICE): PackedMessage =>
  packed(
    '/cosmos.bank.v1beta1.MsgSend',
    toBinary(bankTx.MsgSendSchema, create(bankTx.MsgSendSchema, { fromAddress: from, toAddress: BOB })),
  )

const bodyOf = (body: MessageInitShape<typeof tx.TxBodySchema> = {}): Uint8Array =>
  toBinary(tx.TxBodySchema, create(tx.TxBodySchema, { messages: [send()], ...body }))
const authInfoOf = (authInfo: MessageInitShape<typeof tx.AuthInfoSchema> = {}): Uint8Array =>
  toBinary(tx.AuthInfoSchema, create(tx.AuthInfoSchema, authInfo))
const rawOf = (
  bodyBytes = bodyOf(),
  authInfoBytes = authInfoOf(),
  signatures: readonly Uint8Array[] = [new Uint8Array(64)],
): Uint8Array => encodeTxRaw({ bodyBytes, authInfoBytes, signatures })

const field = (number: number, value: Uint8Array): Uint8Array =>
  new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(value).finish()
const varintField = (number: number, value = 1): Uint8Array =>
  new BinaryWriter().tag(number, WireType.Varint).uint32(value).finish()

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}
const refused = (raw: Uint8Array): string => refusal(() => decodeNativeTransaction(raw))

describe('TxRaw (ADR-027)', () => {
  const body = bodyOf()
  const authInfo = authInfoOf()
  const signature = new Uint8Array(64)
  // A length below 128 in two bytes.
  const longLength = (number: number, value: Uint8Array): Uint8Array =>
    concatBytes(Uint8Array.of(number * 8 + 2, 0x80 | value.length, 0), value)

  it('in order decodes, also without signatures', () => {
    const raw = concatBytes(field(1, body), field(2, authInfo), field(3, signature), field(3, EMPTY_BYTES))
    expect(decodeNativeTransaction(raw).signatures).toEqual([signature, EMPTY_BYTES])
    expect(refused(concatBytes(field(1, body), field(2, authInfo)))).toBe('accepted')
  })

  it.each([
    ['fields in another order', concatBytes(field(2, authInfo), field(1, body))],
    ['a signature before the end', concatBytes(field(1, body), field(3, signature), field(2, authInfo))],
    ['two bodies', concatBytes(field(1, body), field(1, body), field(2, authInfo))],
    ['two auth infos', concatBytes(field(1, body), field(2, authInfo), field(2, authInfo))],
    ['an unknown field', concatBytes(field(1, body), field(2, authInfo), field(4, EMPTY_BYTES))],
    [
      'an unknown field that is not critical',
      concatBytes(field(1, body), field(2, authInfo), field(1024, EMPTY_BYTES)),
    ],
    ['a long length', concatBytes(field(1, body), longLength(2, authInfo))],
    ['a long tag', concatBytes(Uint8Array.of(0x8a, 0), field(1, body).subarray(1))],
    ['a varint', concatBytes(field(1, body), varintField(2))],
    ['a cut value', field(1, body).subarray(0, -1)],
    ['field number 0', Uint8Array.of(2, 0)],
    ['a length of ten bytes', concatBytes(Uint8Array.of(0x0a), new Uint8Array(9).fill(0xff), Uint8Array.of(1))],
    ['a varint that never ends', new Uint8Array(40).fill(0xff)],
  ])('with %s is sdk/2', (_, raw) => {
    expect(refused(raw)).toMatch(/^sdk\/2 .*: tx parse error$/)
  })

  it('that is empty, or has no messages, is sdk/18', () => {
    const text = 'sdk/18 must contain at least one message: invalid request'
    expect(refused(EMPTY_BYTES)).toBe(text)
    expect(refused(rawOf(bodyOf({ messages: [] })))).toBe(text)
  })
})

describe('a message that stands twice in a field for one', () => {
  const any = (typeUrl: string, value: Uint8Array): Uint8Array =>
    concatBytes(field(1, utf8ToBytes(typeUrl)), value.length === 0 ? EMPTY_BYTES : field(2, value))
  const key = field(1, new Uint8Array(32).fill(1))
  const twice = 'stands there twice: tx parse error'

  it('is sdk/2: the type of one would be read with the bytes of the other, unchecked', () => {
    // pubkey of MsgCreateValidator: each of both is well-formed.
    const value = concatBytes(
      field(6, any('/cosmos.crypto.ed25519.PubKey', key)),
      field(6, any('/cosmos.crypto.multisig.LegacyAminoPubKey', EMPTY_BYTES)),
    )
    const messages = [packed('/cosmos.staking.v1beta1.MsgCreateValidator', value)]
    expect(refused(rawOf(bodyOf({ messages })))).toContain(`field pubkey ${twice}`)
  })

  it('is sdk/2 in the auth info too', () => {
    const fee = field(2, EMPTY_BYTES)
    expect(refused(rawOf(bodyOf(), concatBytes(fee, fee)))).toContain(`field fee ${twice}`)
  })
})

describe('unknown fields', () => {
  const withField = (number: number): Uint8Array => concatBytes(bodyOf(), varintField(number))

  it('of the body are refused when critical, and noted when not (bit 11 of their number)', () => {
    for (const number of [6, 99, 1022, 2048, 4096]) {
      expect(refused(rawOf(withField(number)))).toBe(
        `sdk/2 cosmos.tx.v1beta1.TxBody: {TagNum: ${number}, WireType:"varint"}: unknown protobuf field: tx parse error`,
      )
    }
    for (const number of [1024, 1500, 2046, 3072]) {
      expect(decodeNativeTransaction(rawOf(withField(number))).hasUnknownFields).toBe(true)
    }
    expect(decodeNativeTransaction(rawOf()).hasUnknownFields).toBe(false)
  })

  it('of a message and of the messages within it are refused likewise', () => {
    const inMessage = (number: number) =>
      packed('/cosmos.bank.v1beta1.MsgSend', concatBytes(send().value, varintField(number)))
    const inProposal = (number: number) =>
      packed(
        '/cosmos.gov.v1.MsgSubmitProposal',
        toBinary(
          govTx.MsgSubmitProposalSchema,
          create(govTx.MsgSubmitProposalSchema, { messages: [inMessage(number)] }),
        ),
      )
    for (const message of [inMessage(44), inProposal(44)]) {
      expect(refused(rawOf(bodyOf({ messages: [message] })))).toMatch(
        /^sdk\/2 cosmos.bank.v1beta1.MsgSend: .TagNum: 44/,
      )
    }
    for (const message of [inMessage(1030), inProposal(1030)]) {
      expect(decodeNativeTransaction(rawOf(bodyOf({ messages: [message] }))).hasUnknownFields).toBe(true)
    }
  })

  it('of the auth info are refused always', () => {
    for (const number of [9, 1024]) {
      expect(refused(rawOf(bodyOf(), concatBytes(authInfoOf(), varintField(number))))).toMatch(/^sdk\/2 .*AuthInfo/)
    }
  })

  it('and fields of another wire type, bad UTF-8 and unknown types are sdk/2', () => {
    const memo = utf8ToBytes('x')
    memo[0] = 0xff
    const bad = [
      concatBytes(bodyOf(), varintField(2)),
      concatBytes(bodyOf(), field(2, memo)),
      concatBytes(bodyOf(), Uint8Array.of(0x0b, 0x0c)),
      bodyOf({ messages: [packed('cosmos.bank.v1beta1.MsgSend', send().value)] }),
      bodyOf({ messages: [packed('/cosmos.bank.v1beta1.MsgSends', EMPTY_BYTES)] }),
      bodyOf({ messages: [packed('/cosmos.bank.v1beta1.Params', EMPTY_BYTES)] }),
      bodyOf({ messages: [packed('', EMPTY_BYTES)] }),
    ]
    for (const body of bad) expect(refused(rawOf(body))).toMatch(/^sdk\/2 .*: tx parse error$/)
  })

  it('nested too deep are sdk/2', () => {
    const nest = (levels: number): PackedMessage => {
      let message = send()
      for (let i = 0; i < levels; i++) {
        const proposal = create(govTx.MsgSubmitProposalSchema, { messages: [message] })
        message = packed('/cosmos.gov.v1.MsgSubmitProposal', toBinary(govTx.MsgSubmitProposalSchema, proposal))
      }
      return message
    }
    expect(refused(rawOf(bodyOf({ messages: [nest(30)] })))).toBe('accepted')
    expect(refused(rawOf(bodyOf({ messages: [nest(32)] })))).toMatch(
      /^sdk\/2 messages are nested deeper than 64 levels/,
    )
    expect(refused(rawOf(bodyOf({ messages: [nest(500)] })))).toMatch(/^sdk\/2 /)
  })
})

describe('bounds and options', () => {
  const secpKey = packed(
    '/cosmos.crypto.secp256k1.PubKey',
    toBinary(secp256k1.PubKeySchema, create(secp256k1.PubKeySchema, { key: new Uint8Array(33).fill(2) })),
  )
  const multisigOf = (count: number, threshold: number, key = secpKey) =>
    packed(
      '/cosmos.crypto.multisig.LegacyAminoPubKey',
      toBinary(
        multisig.LegacyAminoPubKeySchema,
        create(multisig.LegacyAminoPubKeySchema, { threshold, publicKeys: Array.from({ length: count }, () => key) }),
      ),
    )
  const signedBy = (publicKey: PackedMessage) => authInfoOf({ signerInfos: [{ publicKey }] })

  it.each<[string, number, Uint8Array]>([
    ['257 messages', 18, rawOf(bodyOf({ messages: Array.from({ length: 257 }, () => send()) }))],
    ['a memo of 257 bytes', 12, rawOf(bodyOf({ memo: 'a'.repeat(257) }))],
    ['a memo of 129 letters of two bytes', 12, rawOf(bodyOf({ memo: 'ü'.repeat(129) }))],
    [
      '8 signatures',
      14,
      rawOf(
        bodyOf(),
        authInfoOf(),
        Array.from({ length: 8 }, () => EMPTY_BYTES),
      ),
    ],
    ['8 signer infos', 14, rawOf(bodyOf(), authInfoOf({ signerInfos: Array.from({ length: 8 }, () => ({})) }))],
    ['131073 bytes', 21, new Uint8Array(131_073)],
    ['an unordered body', 37, rawOf(bodyOf({ unordered: true }))],
    ['a timeout timestamp', 37, rawOf(bodyOf({ timeoutTimestamp: { seconds: 1n, nanos: 0 } }))],
    ['an extension option', 31, rawOf(bodyOf({ extensionOptions: [send()] }))],
    ['a tip', 37, rawOf(bodyOf(), authInfoOf({ tip: {} }))],
    ['a fee granter', 37, rawOf(bodyOf(), authInfoOf({ fee: { granter: BOB } }))],
    ['a gas limit of 2^63', 18, rawOf(bodyOf(), authInfoOf({ fee: { gasLimit: 1n << 63n } }))],
    ['17 fee coins', 13, rawOf(bodyOf(), authInfoOf({ fee: { amount: Array.from({ length: 17 }, () => ({})) } }))],
    ['a fee of no integer', 2, rawOf(bodyOf(), authInfoOf({ fee: { amount: [{ denom: 'anat', amount: '1.5' }] } }))],
    ['an ed25519 signer', 8, rawOf(bodyOf(), signedBy(packed(`/${ed25519.PubKeySchema.typeName}`, EMPTY_BYTES)))],
    ['a key of no bytes', 8, rawOf(bodyOf(), signedBy(packed(secpKey.typeUrl, EMPTY_BYTES)))],
    ['a key off the curve', 8, rawOf(bodyOf(), signedBy(packed(secpKey.typeUrl, field(1, new Uint8Array(33)))))],
    ['a multisig of 8 keys', 14, rawOf(bodyOf(), signedBy(multisigOf(8, 2)))],
    ['a multisig of threshold 0', 8, rawOf(bodyOf(), signedBy(multisigOf(2, 0)))],
    ['a multisig of threshold 3 of 2', 8, rawOf(bodyOf(), signedBy(multisigOf(2, 3)))],
    [
      'a multisig of Ethereum keys',
      8,
      rawOf(bodyOf(), signedBy(multisigOf(2, 1, packed('/cosmos.evm.crypto.v1.ethsecp256k1.PubKey', secpKey.value)))),
    ],
    ['a multisig within a multisig', 8, rawOf(bodyOf(), signedBy(multisigOf(2, 1, multisigOf(2, 1))))],
  ])('%s: sdk/%i', (_, code, raw) => {
    expect(refused(raw)).toMatch(new RegExp(`^sdk/${code} `))
  })

  it('count fields, those of messages within messages too: empty ones are two bytes', () => {
    const outputs = (count: number): PackedMessage =>
      packed(
        '/cosmos.bank.v1beta1.MsgMultiSend',
        concatBytes(...Array.from({ length: count }, () => field(2, EMPTY_BYTES))),
      )
    // Beside them stand those of the body and of what wraps the message.
    expect(refused(rawOf(bodyOf({ messages: [outputs(8_185)] })))).toBe('accepted')
    expect(refused(rawOf(bodyOf({ messages: [outputs(8_192)] })))).toMatch(/^sdk\/2 more than 8192 fields/)
    expect(refused(rawOf(bodyOf({ messages: [outputs(65_000)] })))).toMatch(/^sdk\/2 more than 8192 fields/)
    const amino = { sum: { case: 'single', value: { mode: txSigning.SignMode.LEGACY_AMINO_JSON } } } as const
    const signedAsAmino = (count: number): string =>
      refused(rawOf(bodyOf({ messages: [outputs(count)] }), authInfoOf({ signerInfos: [{ modeInfo: amino }] })))
    expect(signedAsAmino(2_040)).toBe('accepted')
    expect(signedAsAmino(2_048)).toMatch(/^sdk\/21 .* at most 2048 can be signed as amino JSON/)
  })

  it('let pass what lies just within them', () => {
    const infos = Array.from({ length: 7 }, () => ({ publicKey: secpKey }))
    expect(refused(rawOf(bodyOf({ memo: 'a'.repeat(256) }), signedBy(multisigOf(7, 7))))).toBe('accepted')
    expect(refused(rawOf(bodyOf(), authInfoOf({ signerInfos: infos })))).toBe('accepted')
    const many = Array.from({ length: 256 }, () => send())
    expect(refused(rawOf(bodyOf({ messages: many })))).toBe('accepted')
  })

  it('take a dry run as CosmJS sends it: no mode, an empty fee and signature', () => {
    const authInfo = authInfoOf({
      fee: {},
      signerInfos: [{ publicKey: secpKey, sequence: 4n, modeInfo: { sum: { case: 'single', value: {} } } }],
    })
    const { fee, signerInfos } = decodeNativeTransaction(rawOf(bodyOf(), authInfo, [EMPTY_BYTES]))
    expect(fee).toEqual({ coins: [], gasLimit: 0n, payer: '' })
    expect(signerInfos).toMatchObject([{ sequence: 4n, mode: { type: 'single', mode: 0 } }])
  })

  it('read the older name of the Ethereum key', () => {
    const key = packed('/ethermint.crypto.v1.ethsecp256k1.PubKey', secpKey.value)
    const { signerInfos } = decodeNativeTransaction(rawOf(bodyOf(), signedBy(key)))
    expect(signerInfos[0]?.publicKey).toMatchObject({ type: 'eth_secp256k1', typeUrl: key.typeUrl })
  })

  it('hold the timeout height up to its height', () => {
    const transaction = decodeNativeTransaction(rawOf(bodyOf({ timeoutHeight: 10n })))
    checkTimeoutHeight(transaction, 10)
    expect(refusal(() => checkTimeoutHeight(transaction, 11))).toBe(
      'sdk/30 block height: 11, timeout height: 10: tx timeout height',
    )
    checkTimeoutHeight(decodeNativeTransaction(rawOf()), 1_000_000)
  })
})

describe('mutated transactions that the Cosmos SDK decoded', () => {
  interface Recorded {
    readonly raw: string
    readonly accepted: boolean
  }
  const path = join(import.meta.dirname, 'fixtures', 'decoded-by-sdk.json')
  const recorded = JSON.parse(readFileSync(path, 'utf8')) as readonly Recorded[]
  const decide = ({ raw }: Recorded): string => refused(Buffer.from(raw, 'base64'))

  it('are never accepted where it refuses', () => {
    const refusals = recorded.filter(({ accepted }) => !accepted)
    expect(refusals.length).toBeGreaterThan(400)
    for (const each of refusals) expect(decide(each), each.raw).toMatch(/^sdk\/(?:2|8|14|18|37) /)
  })

  it('are refused where it accepts only for UTF-8, amounts, keys and what this chain does not support', () => {
    const acceptances = recorded.filter(({ accepted }) => accepted)
    expect(acceptances.length).toBeGreaterThan(100)
    for (const each of acceptances) {
      expect(decide(each), each.raw).toMatch(
        /^accepted$|invalid UTF-8: tx parse error$|invalid fee amount|not a point of the curve|^sdk\/37 /,
      )
    }
  })
})

describe('random bytes', () => {
  /** A linear congruential generator (Numerical Recipes): its seed stands in every failure. */
  const seeded = (seed: number) => {
    let state = seed
    return (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
  }

  /** Replaces, inserts or removes bytes. */
  const mutate = (raw: Uint8Array, next: (below: number) => number): Uint8Array => {
    let out = raw
    for (let changes = 1 + next(3); changes > 0; changes--) {
      const at = next(out.length)
      const removed = next(3)
      const added = Uint8Array.from({ length: next(3) }, () => next(256))
      out = concatBytes(out.subarray(0, at), added, out.subarray(at + removed))
    }
    return out
  }

  const use = (raw: Uint8Array): string =>
    refusal(() => {
      const transaction = decodeNativeTransaction(raw)
      verifySignatures(transaction, requiredSigners(transaction), {
        chainId: 'nat-test-1',
        maxSignatures: 7n,
        account: () => ({ sequence: 5n }),
        accountNumber: () => 2n ** 47n + 11n,
      })
    })

  it('are refused with a code', () => {
    const next = seeded(20_260_801)
    for (let run = 0; run < 3_000; run++) {
      const raw = Uint8Array.from({ length: next(200) }, () => next(256))
      expect(use(raw)).toMatch(/^sdk\/\d+ /)
    }
  })

  it('in valid transactions are refused with a code, or the signature still holds', async () => {
    for (const [index, name] of WALLET_NAMES.entries()) {
      const next = seeded(index + 1)
      const { wallet, address } = await createWallet(name)
      const messages = exampleMessages(address, encodeBech32(new Uint8Array(20).fill(3), 'natvaloper'))
      const signed = await signTransaction(wallet, address, [
        ...messages.slice(0, 2),
        ...messages.filter(({ typeUrl }) => /SubmitProposal|VoteWeighted/.test(typeUrl)),
      ])
      expect(use(encodeTxRaw(signed))).toBe('accepted')
      for (let run = 0; run < 1_500; run++) {
        const part = (['bodyBytes', 'authInfoBytes'] as const)[next(3)]
        const raw =
          part === undefined
            ? mutate(encodeTxRaw(signed), next)
            : encodeTxRaw({ ...signed, [part]: mutate(signed[part], next) })
        const result = use(raw)
        if (result !== 'accepted') {
          expect(result, `${name}, run ${run}`).toMatch(/^sdk\/\d+ /)
          continue
        }
        // What differs without a signature to tell: another spelling of the same fields.
        const { messages: kept, memo, fee } = decodeNativeTransaction(raw)
        const before = decodeNativeTransaction(encodeTxRaw(signed))
        expect({ memo, fee }, `${name}, run ${run}`).toEqual({ memo: before.memo, fee: before.fee })
        expect(kept.map(({ typeUrl }) => typeUrl)).toEqual(before.messages.map(({ typeUrl }) => typeUrl))
        if (name.endsWith('direct')) {
          const { bodyBytes, authInfoBytes } = fromBinary(tx.TxRawSchema, raw)
          expect([bodyBytes, authInfoBytes]).toEqual([signed.bodyBytes, signed.authInfoBytes])
        }
      }
    }
  })

  it('in the signature of a multisig are refused', () => {
    const next = seeded(99)
    const valid = toBinary(
      multisigSignature.MultiSignatureSchema,
      create(multisigSignature.MultiSignatureSchema, { signatures: [new Uint8Array(64), new Uint8Array(64)] }),
    )
    for (let run = 0; run < 300; run++) {
      expect(use(rawOf(bodyOf(), authInfoOf(), [mutate(valid, next)]))).toMatch(/^sdk\/\d+ /)
    }
  })
})
