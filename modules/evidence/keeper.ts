/** The only code that touches the keys of evidence: 0x00 hash(32) holds an Equivocation in protobuf. */
import { moduleAddress } from '../../core/address.ts'
import { concatBytes, EMPTY_BYTES } from '../../core/bytes.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'

export const EVIDENCE_ADDRESS = moduleAddress('evidence')

const EVIDENCE = Uint8Array.of(0)
/** Values read at once. */
const CHUNK = 100

/** The encoded Equivocation. */
export const readEvidence = (state: StateReader, hash: Uint8Array): Uint8Array | undefined =>
  state.value(EVIDENCE_ADDRESS, concatBytes(EVIDENCE, hash))

export const writeEvidence = (state: StateWriter, hash: Uint8Array, encoded: Uint8Array): void =>
  state.setValue(EVIDENCE_ADDRESS, concatBytes(EVIDENCE, hash), encoded)

/** Lists evidence in the order of hashes, from `start` (inclusive) on. */
export function* listEvidence(
  state: StateReader,
  start: Uint8Array = EMPTY_BYTES,
): Generator<readonly [hash: Uint8Array, encoded: Uint8Array], void> {
  for (let from = concatBytes(EVIDENCE, start); ; ) {
    const entries = state.values(EVIDENCE_ADDRESS, EVIDENCE, CHUNK, from)
    for (const [key, value] of entries) yield [key.slice(EVIDENCE.length), value]
    const last = entries.at(-1)
    if (last === undefined || entries.length < CHUNK) return
    from = concatBytes(last[0], Uint8Array.of(0))
  }
}
