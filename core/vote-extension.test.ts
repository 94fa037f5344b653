import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { concatBytes } from './bytes.ts'
import { bytesToUnprefixedHex, hexToBytes } from './hex.ts'
import { consensusAddress } from './signature.ts'
import { extensionSignBytes, verifyExtensionSignature, type SignedExtension } from './vote-extension.ts'

interface Vector {
  readonly name: string
  readonly extension: string
  /** How often `extension` is repeated. */
  readonly times: number
  readonly height: number
  readonly round: number
  readonly chainId: string
  /** Empty where they would be too long to keep: the signature covers them. */
  readonly signBytes: string
  readonly signature: string
}

// Made once with CometBFT's own functions: `source` in the file names them.
const fixture = JSON.parse(readFileSync(join(import.meta.dirname, 'vote-extension.vectors.json'), 'utf8')) as {
  readonly publicKey: string
  readonly address: string
  readonly vectors: readonly Vector[]
}

const fromHex = (hex: string): Uint8Array => hexToBytes(`0x${hex}`)

const signedOf = ({ extension, times, height, round, chainId }: Vector): SignedExtension => ({
  extension: concatBytes(...Array.from({ length: times }, () => fromHex(extension))),
  height,
  round,
  chainId,
})

describe('vote extensions signed by CometBFT', () => {
  const publicKey = fromHex(fixture.publicKey)

  it('belong to the address of the key', () => {
    expect(bytesToUnprefixedHex(consensusAddress(fromHex(fixture.publicKey)))).toBe(fixture.address)
  })

  it.each(fixture.vectors)('$name: the same sign bytes, and a valid signature', (vector) => {
    const signed = signedOf(vector)
    const signBytes = bytesToUnprefixedHex(extensionSignBytes(signed))
    expect(signBytes).toBe(vector.signBytes === '' ? signBytes : vector.signBytes)
    const signature = fromHex(vector.signature)
    expect(verifyExtensionSignature({ ...signed, publicKey, signature })).toBe(true)
  })

  it('fail for another height, round, chain, extension or signature', () => {
    const vector = fixture.vectors[0] as Vector
    const signed = signedOf(vector)
    const signature = fromHex(vector.signature)
    const changes: Partial<SignedExtension & { signature: Uint8Array }>[] = [
      { height: signed.height + 1 },
      { round: 0 },
      { chainId: `${signed.chainId}x` },
      { extension: concatBytes(signed.extension, Uint8Array.of(0)) },
      { signature: signature.map((byte, index) => (index === 63 ? byte ^ 1 : byte)) },
      { signature: signature.subarray(1) },
      { signature: new Uint8Array(0) },
    ]
    for (const change of changes) {
      expect(verifyExtensionSignature({ ...signed, publicKey, signature, ...change })).toBe(false)
    }
  })
})

interface TorsionVector {
  readonly name: string
  readonly isValid: boolean
  readonly extension: string
  readonly height: number
  readonly round: number
  readonly chainId: string
  readonly publicKey: string
  readonly signature: string
}

describe('the published vectors of signatures with components of small order', () => {
  const file = join(import.meta.dirname, '../test/vectors/clob/extensions.json')
  const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { readonly vectors: readonly TorsionVector[] }

  it.each(vectors)('$name', ({ extension, publicKey, signature, height, round, chainId, isValid }) => {
    const signed = { extension: fromHex(extension), height, round, chainId }
    const holds = verifyExtensionSignature({ ...signed, publicKey: fromHex(publicKey), signature: fromHex(signature) })
    expect(holds).toBe(isValid)
  })
})
