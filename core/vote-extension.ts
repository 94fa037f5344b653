/** The signature of a vote extension, as CometBFT makes it (types.VoteExtensionSignBytes, CanonicalVoteExtension). */
import { concatBytes, EMPTY_BYTES, utf8ToBytes } from './bytes.ts'
import { verifyEd25519 } from './ed25519.ts'

export interface SignedExtension {
  readonly extension: Uint8Array
  /** The height of the vote itself: H-1 when the extension is used at H. */
  readonly height: number
  /** The round of the commit that the vote belongs to. */
  readonly round: number
  readonly chainId: string
}

const uvarint = (value: number): Uint8Array => {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

// Protobuf tags: field number << 3 | wire type (1 = 64-bit, 2 = length-delimited). Zero values are left out.
const bytesField = (tag: number, value: Uint8Array): Uint8Array =>
  value.length === 0 ? EMPTY_BYTES : concatBytes(Uint8Array.of(tag), uvarint(value.length), value)

const sfixed64Field = (tag: number, value: number): Uint8Array => {
  if (value === 0) return EMPTY_BYTES
  const out = new Uint8Array(9)
  out[0] = tag
  new DataView(out.buffer).setBigInt64(1, BigInt(value), true)
  return out
}

/** What a validator signs: uvarint length, then {1 extension, 2 sfixed64 height, 3 sfixed64 round, 4 chain id}. */
export const extensionSignBytes = ({ extension, height, round, chainId }: SignedExtension): Uint8Array => {
  const body = concatBytes(
    bytesField(0x0a, extension),
    sfixed64Field(0x11, height),
    sfixed64Field(0x19, round),
    bytesField(0x22, utf8ToBytes(chainId)),
  )
  return concatBytes(uvarint(body.length), body)
}

/** Verifies a signature by the rules of ZIP-215, as CometBFT does. `publicKey` has 32 bytes. */
export const verifyExtensionSignature = (
  signed: SignedExtension & { readonly publicKey: Uint8Array; readonly signature: Uint8Array },
): boolean => verifyEd25519(signed.publicKey, extensionSignBytes(signed), signed.signature)
