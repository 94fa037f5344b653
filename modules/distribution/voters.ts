/**
 * The set of voters that share in fees, as one value: a consensus address (20 bytes) and a power (8) each, in the order
 * in which CometBFT lists its votes. A block whose votes give the same bytes changes nothing.
 */
import { ADDRESS_LENGTH } from '../../core/address.ts'
import { bytesToKey, viewBuffer } from '../../core/bytes.ts'

export interface Voter {
  readonly consensusAddress: Uint8Array
  /** The power is below 2^60 (CometBFT's bound of the total), so a sum of them times a decimal is exact. */
  readonly power: bigint
}

const ENTRY_BYTES = ADDRESS_LENGTH + 8

export const encodeVoters = (voters: readonly Voter[]): Uint8Array => {
  const out = new Uint8Array(voters.length * ENTRY_BYTES)
  const view = new DataView(out.buffer)
  let offset = 0
  for (const { consensusAddress, power } of voters) {
    out.set(consensusAddress, offset)
    view.setBigUint64(offset + ADDRESS_LENGTH, power)
    offset += ENTRY_BYTES
  }
  return out
}

const powerAt = (bytes: Uint8Array, offset: number): bigint =>
  new DataView(bytes.buffer, bytes.byteOffset + offset + ADDRESS_LENGTH, 8).getBigUint64(0)

export function* decodeVoters(bytes: Uint8Array): Generator<Voter> {
  for (let offset = 0; offset < bytes.length; offset += ENTRY_BYTES) {
    yield { consensusAddress: bytes.slice(offset, offset + ADDRESS_LENGTH), power: powerAt(bytes, offset) }
  }
}

const offsetOf = (bytes: Uint8Array, consensusAddress: Uint8Array): number => {
  const view = viewBuffer(bytes)
  for (let at = view.indexOf(consensusAddress); at !== -1; at = view.indexOf(consensusAddress, at + 1)) {
    if (at % ENTRY_BYTES === 0) return at
  }
  return -1
}

/** Undefined for one that is not among them. */
export const powerOf = (bytes: Uint8Array, consensusAddress: Uint8Array): bigint | undefined => {
  const offset = offsetOf(bytes, consensusAddress)
  return offset === -1 ? undefined : powerAt(bytes, offset)
}

export const withoutVoter = (bytes: Uint8Array, consensusAddress: Uint8Array): Uint8Array =>
  encodeVoters(
    [...decodeVoters(bytes)].filter((voter) => bytesToKey(voter.consensusAddress) !== bytesToKey(consensusAddress)),
  )
