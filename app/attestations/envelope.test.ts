import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { concatBytes, EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { hexToBytes } from '../../core/hex.ts'
import { generateEnvelopes } from '../../test/vectors/clob/generate-envelopes.ts'
import type { VoteExtension } from '../../modules/attestations.ts'
import { encodeAttestations } from '../../modules/clob/plan/index.ts'
import { VoteExtensionSchema } from '../../proto/gen/nat/clob/v1/vote_extensions_pb.ts'
import { decodeExtension, EMPTY_EXTENSION, encodeExtension } from './envelope.ts'

const SAID: VoteExtension = {
  attestations: encodeAttestations([
    { phase: 0, id: 'first of two', dtMs: -5 },
    { phase: 2, id: 'other of two', dtMs: 30_000 },
  ]),
  bodies: [utf8ToBytes('one'), utf8ToBytes('two')],
  bridge: [{ id: 3, hash: new Uint8Array(32).fill(9) }],
  bridgeContents: [
    {
      id: 4,
      amount: 2n ** 255n,
      from: new Uint8Array(20).fill(1),
      recipient: new Uint8Array(20).fill(2),
      dataHash: new Uint8Array(32).fill(3),
      externalHeight: 2n ** 64n - 1n,
    },
  ],
  bridgeSignatures: [
    { digest: new Uint8Array(32).fill(1), signature: new Uint8Array(65).fill(2) },
    { digest: new Uint8Array(32).fill(2), signature: new Uint8Array(65) },
  ],
}

const FILE = join(import.meta.dirname, '../../test/vectors/clob/envelopes.json')

describe('the vectors', () => {
  it('are as they were written', () => {
    expect(generateEnvelopes()).toBe(readFileSync(FILE, 'utf8'))
  })

  const { vectors } = JSON.parse(readFileSync(FILE, 'utf8')) as {
    readonly vectors: readonly { readonly name: string; readonly extension: string; readonly isCanonical: boolean }[]
  }
  it.each(vectors)('of $name', ({ extension, isCanonical }) => {
    expect(decodeExtension(hexToBytes(`0x${extension}`)) !== undefined).toBe(isCanonical)
  })
})

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const wire = encodeExtension(SAID)

describe('a vote extension', () => {
  it('has one encoding, in which it comes back', () => {
    const { bridge, bridgeSignatures, ...rest } = decodeExtension(wire) ?? EMPTY_EXTENSION
    expect({
      ...rest,
      bridge: bridge.map(({ id, hash }) => ({ id, hash })),
      bridgeSignatures: bridgeSignatures.map(({ digest, signature }) => ({ digest, signature })),
    }).toEqual(SAID)
    for (const part of ['attestations', 'bodies', 'bridge', 'bridgeContents', 'bridgeSignatures'] as const) {
      const alone = { ...EMPTY_EXTENSION, [part]: SAID[part] }
      expect(text(encodeExtension(decodeExtension(encodeExtension(alone)) ?? EMPTY_EXTENSION))).toBe(
        text(encodeExtension(alone)),
      )
    }
  })

  it('is zero bytes where there is nothing to say', () => {
    expect(encodeExtension(EMPTY_EXTENSION)).toEqual(EMPTY_BYTES)
    expect(decodeExtension(EMPTY_BYTES)).toBeUndefined()
  })

  const of = (fields: Parameters<typeof create<typeof VoteExtensionSchema>>[1]): Uint8Array =>
    toBinary(VoteExtensionSchema, create(VoteExtensionSchema, fields))
  const attestation = (id: number) => ({ id, hash: new Uint8Array(32) })
  const content = (changes: object = {}) => ({
    id: 1,
    amount: Uint8Array.of(1),
    from: new Uint8Array(20),
    recipient: new Uint8Array(20),
    dataHash: new Uint8Array(32),
    ...changes,
  })
  const told = (...changes: readonly object[]) => of({ version: 1, bridgeContents: changes.map(content) })

  const signature = (changes: object) => ({
    digest: new Uint8Array(32),
    signature: new Uint8Array(65),
    ...changes,
  })
  const signed = (...changes: readonly object[]) => of({ version: 1, bridgeSignatures: changes.map(signature) })

  it('may tell an event with the longest recipient and the largest amount', () => {
    const recipient = new Uint8Array(64)
    const bytes = told({ recipient, amount: new Uint8Array(32).fill(0xff) })
    expect(decodeExtension(bytes)?.bridgeContents).toMatchObject([{ recipient, amount: 2n ** 256n - 1n }])
    expect(decodeExtension(told({ amount: EMPTY_BYTES }))?.bridgeContents).toMatchObject([{ amount: 0n }])
  })

  const others: Readonly<Record<string, Uint8Array>> = {
    'with a byte behind it': concatBytes(wire, Uint8Array.of(0)),
    'that is cut short': wire.subarray(0, -1),
    'with a field that nobody knows': concatBytes(wire, Uint8Array.of(0x7a, 1, 1)),
    'with its version last': concatBytes(wire.subarray(2), wire.subarray(0, 2)),
    'with its version twice': concatBytes(wire.subarray(0, 2), wire),
    'with a version in a long varint': concatBytes(Uint8Array.of(0x08, 0x81, 0x00), wire.subarray(2)),
    'of another version': of({ version: 2, attestations: SAID.attestations }),
    'without a version': of({ attestations: SAID.attestations }),
    'with nothing but a version': of({ version: 1 }),
    'with a body of no bytes': of({ version: 1, bodies: [EMPTY_BYTES] }),
    'with a body that is too long': of({ version: 1, bodies: [new Uint8Array(4_097)] }),
    'with attestations that are none': of({ version: 1, attestations: Uint8Array.of(0, 0, 0) }),
    'with a byte behind its attestations': of({
      version: 1,
      attestations: concatBytes(SAID.attestations, Uint8Array.of(0)),
    }),
    'that attests an id in two phases': of({
      version: 1,
      attestations: encodeAttestations([
        { phase: 0, id: 'only one id.', dtMs: 0 },
        { phase: 1, id: 'only one id.', dtMs: 0 },
      ]),
    }),
    'with a hash of the bridge that is too short': of({ version: 1, bridge: [{ id: 1, hash: new Uint8Array(31) }] }),
    'with an id of the bridge twice': of({ version: 1, bridge: [attestation(1), attestation(1)] }),
    'with ids of the bridge that fall': of({ version: 1, bridge: [attestation(2), attestation(1)] }),
    'with too many hashes of the bridge': of({
      version: 1,
      bridge: Array.from({ length: 25 }, (_, id) => attestation(id)),
    }),
    'with a content twice': told({}, {}),
    'with too many contents': told(...Array.from({ length: 17 }, (_, id) => ({ id }))),
    'with an amount that begins with zero': told({ amount: Uint8Array.of(0, 1) }),
    'with an amount of 33 bytes': told({ amount: new Uint8Array(33).fill(1) }),
    'with a sender of 19 bytes': told({ from: new Uint8Array(19) }),
    'with a recipient of 65 bytes': told({ recipient: new Uint8Array(65) }),
    'with a data hash of 31 bytes': told({ dataHash: new Uint8Array(31) }),
    'with a digest that is too short': signed({ digest: new Uint8Array(31) }),
    'with a signature of 64 bytes': signed({ signature: new Uint8Array(64) }),
    'with a digest twice': signed({}, {}),
    'with digests that fall': signed({ digest: new Uint8Array(32).fill(2) }, {}),
    'with too many signatures': signed(...[1, 2, 3].map((byte) => ({ digest: new Uint8Array(32).fill(byte) }))),
    'that is no protobuf': Uint8Array.of(0xff, 0xff, 0xff),
  }
  it.each(Object.entries(others))('says nothing %s', (_, bytes) => {
    expect(decodeExtension(bytes)).toBeUndefined()
  })
})
