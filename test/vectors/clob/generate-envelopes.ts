/**
 * Writes envelopes.json: `node test/vectors/clob/generate-envelopes.ts`. Bytes are put together here by hand, and not by the encoder of the node: what is
 * canonical is written by the text of docs/clob-spec.md.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'

const ABOUT =
  'Vote extensions (docs/clob-spec.md, Attestations): isCanonical whether what one says counts. The cap is 131,072 bytes. ' +
  'One that does not count is empty in all its parts.'

const field = (number: number, ...parts: readonly Uint8Array[]): Uint8Array => {
  const body = concatBytes(...parts)
  const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7]
  return concatBytes(Uint8Array.of((number << 3) | 2, ...length), body)
}
const VERSION = Uint8Array.of(0x08, 1)
const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte)

const hash = (id: number, length = 32): Uint8Array => field(4, Uint8Array.of(0x08, id), field(2, filled(length, 7)))
const content = (amount: Uint8Array, recipient = 20): Uint8Array =>
  field(
    5,
    Uint8Array.of(0x08, 5),
    ...(amount.length === 0 ? [] : [field(2, amount)]),
    field(3, filled(20, 1)),
    field(4, filled(recipient, 2)),
    field(5, filled(32, 3)),
    Uint8Array.of(0x30, 9),
  )
const signature = (digest: number, length = 65, digestLength = 32): Uint8Array =>
  field(6, field(1, filled(digestLength, digest)), field(2, filled(length, 4)))
const attestations = field(2, Uint8Array.of(0, 0, 1, 0), filled(12, 9))
const body = field(3, filled(3, 0x70))

interface Vector {
  readonly name: string
  readonly parts: readonly Uint8Array[]
  readonly isCanonical: boolean
}
const yes = (name: string, ...parts: readonly Uint8Array[]): Vector => ({
  name,
  parts: [VERSION, ...parts],
  isCanonical: true,
})
const no = (name: string, ...parts: readonly Uint8Array[]): Vector => ({
  name,
  parts: [VERSION, ...parts],
  isCanonical: false,
})

const VECTORS: readonly Vector[] = [
  yes('all parts', attestations, body, hash(3), content(Uint8Array.of(1, 0)), signature(1), signature(2)),
  yes('hashes of the bridge alone', hash(3), hash(4)),
  yes('a content with an amount of zero', content(new Uint8Array(0))),
  yes('a content with the longest amount and recipient', content(filled(32, 0xff), 64)),
  yes('one signature of the bridge', signature(0xff)),
  yes('two signatures of the bridge, by ascending digest', signature(0x7f), signature(0x80)),
  no('a version alone'),
  no('ids of the bridge that fall', hash(4), hash(3)),
  no('an id of the bridge twice', hash(3), hash(3)),
  no('a hash of 31 bytes', hash(3, 31)),
  no('an amount that begins with zero', content(Uint8Array.of(0, 1))),
  no('a recipient of 65 bytes', content(Uint8Array.of(1), 65)),
  no('digests that fall', signature(2), signature(1)),
  no('a digest twice', signature(1), signature(1)),
  no('three signatures', signature(1), signature(2), signature(3)),
  no('a signature of 64 bytes', signature(1, 64)),
  no('a digest of 31 bytes', signature(1, 65, 31)),
  no('a signature before a content', signature(1), content(Uint8Array.of(1))),
  no('a field that is not known', attestations, field(7, filled(1, 1))),
  no('one part that is not canonical beside others that are', attestations, body, signature(1, 64)),
  { name: 'nothing', parts: [], isCanonical: false },
  { name: 'no version', parts: [attestations], isCanonical: false },
]

export const generateEnvelopes = (): string => {
  const vectors = VECTORS.map(({ name, parts, isCanonical }) => ({
    name,
    extension: bytesToHex(concatBytes(...parts)),
    isCanonical,
  }))
  return `${JSON.stringify({ about: ABOUT, vectors }, null, 2)}\n`
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, 'envelopes.json'), generateEnvelopes())
