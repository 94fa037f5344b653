/** The vote extension as an envelope of sections, and its one encoding. */
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { EMPTY_BYTES, equalBytes } from '../../core/bytes.ts'
import type { VoteExtension } from '../../modules/attestations.ts'
import { isCanonicalAttestations, MAX_CLOB_TX_BYTES } from '../../modules/clob/index.ts'
import { VoteExtensionSchema } from '../../proto/gen/nat/clob/v1/vote_extensions_pb.ts'

const VERSION = 1
const HASH_BYTES = 32

export const EMPTY_EXTENSION: VoteExtension = { attestations: EMPTY_BYTES, bodies: [], bridge: [] }

const isEmpty = ({ attestations, bodies, bridge }: VoteExtension): boolean =>
  attestations.length === 0 && bodies.length === 0 && bridge.length === 0

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
      })

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
  const { version, attestations, bodies, bridge } = message
  if (version !== VERSION || !equalBytes(toWire(message), bytes)) return undefined
  if (bodies.some(({ length }) => length === 0 || length > MAX_CLOB_TX_BYTES)) return undefined
  if (!isCanonicalAttestations(attestations)) return undefined
  if (bridge.some(({ hash }) => hash.length !== HASH_BYTES)) return undefined
  const extension = { attestations, bodies, bridge }
  return isEmpty(extension) ? undefined : extension
}
