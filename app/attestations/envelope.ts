/** The vote extension as an envelope of sections, and its one encoding. */
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { ADDRESS_LENGTH } from '../../core/address.ts'
import { type BridgeEvent, MAX_RECIPIENT_BYTES } from '../../core/bridge-event.ts'
import { BRIDGE_SIGNATURE_BYTES } from '../../core/bridge-signature.ts'
import { bigintToBytes, bytesToBigint, EMPTY_BYTES, equalBytes } from '../../core/bytes.ts'
import type { BridgeSignature, VoteExtension } from '../../modules/attestations.ts'
import { isCanonicalBridgeSection } from '../../modules/bridge/index.ts'
import { isCanonicalAttestations, MAX_CLOB_TX_BYTES } from '../../modules/clob/index.ts'
import { type BridgeContent, VoteExtensionSchema } from '../../proto/gen/nat/clob/v1/vote_extensions_pb.ts'

const VERSION = 1
const HASH_BYTES = 32

export const EMPTY_EXTENSION: VoteExtension = {
  attestations: EMPTY_BYTES,
  bodies: [],
  bridge: [],
  bridgeContents: [],
  bridgeSignatures: [],
}

const isEmpty = ({ attestations, bodies, bridge, bridgeContents, bridgeSignatures }: VoteExtension): boolean =>
  attestations.length + bodies.length + bridge.length + bridgeContents.length + bridgeSignatures.length === 0

const toWire = (message: MessageInitShape<typeof VoteExtensionSchema>): Uint8Array =>
  toBinary(VoteExtensionSchema, create(VoteExtensionSchema, message), { writeUnknownFields: false })

/** Zero bytes where there is nothing to say. */
export const encodeExtension = (extension: VoteExtension): Uint8Array =>
  isEmpty(extension)
    ? EMPTY_BYTES
    : toWire({
        version: VERSION,
        attestations: extension.attestations,
        bodies: [...extension.bodies],
        bridge: extension.bridge.map(({ id, hash }) => ({ id, hash })),
        bridgeContents: extension.bridgeContents.map((event) => ({ ...event, amount: bigintToBytes(event.amount) })),
        bridgeSignatures: extension.bridgeSignatures.map(({ digest, signature }) => ({ digest, signature })),
      })

/** Undefined where a field is no such value, or the amount has another encoding than its own. */
const toEvent = ({ id, amount, from, recipient, dataHash, externalHeight }: BridgeContent): BridgeEvent | undefined => {
  if (amount.length > HASH_BYTES || amount[0] === 0) return undefined
  if (from.length !== ADDRESS_LENGTH || recipient.length > MAX_RECIPIENT_BYTES || dataHash.length !== HASH_BYTES) {
    return undefined
  }
  return { id, amount: bytesToBigint(amount), from, recipient, dataHash, externalHeight }
}

const isSignature = ({ digest, signature }: BridgeSignature): boolean =>
  digest.length === HASH_BYTES && signature.length === BRIDGE_SIGNATURE_BYTES

/**
 * What an extension says; undefined where it is empty or not in its one encoding, which is the same to everybody: a
 * validator whose software is wrong loses what it says, and not its vote. One part that is not canonical makes all of it count
 * as empty. Bodies may be anything of their length: the plan looks at those that somebody asks for.
 */
export const decodeExtension = (bytes: Uint8Array): VoteExtension | undefined => {
  if (bytes.length === 0) return undefined
  let message
  try {
    message = fromBinary(VoteExtensionSchema, bytes, { readUnknownFields: false })
  } catch {
    // Bytes that are no such message: what protobuf has against them decides nothing.
    return undefined
  }
  const { version, attestations, bodies, bridge, bridgeSignatures } = message
  if (version !== VERSION || !equalBytes(toWire(message), bytes)) return undefined
  if (bodies.some(({ length }) => length === 0 || length > MAX_CLOB_TX_BYTES)) return undefined
  if (!isCanonicalAttestations(attestations)) return undefined
  if (bridge.some(({ hash }) => hash.length !== HASH_BYTES)) return undefined
  if (!bridgeSignatures.every(isSignature)) return undefined
  const bridgeContents = message.bridgeContents.flatMap((content) => toEvent(content) ?? [])
  if (bridgeContents.length !== message.bridgeContents.length) return undefined
  const extension = { attestations, bodies, bridge, bridgeContents, bridgeSignatures }
  return isEmpty(extension) || !isCanonicalBridgeSection(extension) ? undefined : extension
}
