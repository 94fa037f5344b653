/**
 * Which blocks of the last window a validator missed: one bit a height, at `height mod window`, so that nothing is
 * stored or written for one that signs. The bit stands for the newest height at its place.
 */
import { concatBytes, equalBytes, isZeroBytes } from '../../../core/bytes.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { SLASHING_ADDRESS } from './signing-info.ts'
import { addressOfKey, MISSED_CHUNK, missedChunkKey } from '../keys.ts'

/** The bits of a chunk, as in the SDK. */
const CHUNK_BITS = 1024
const CHUNK_BYTES = CHUNK_BITS / 8
/** Values read at once. */
const PAGE = 500

const chunkCount = (window: number): number => Math.ceil(window / CHUNK_BITS)

const bitMask = (index: number): number => 1 << (index % 8)
const byteAt = (index: number): number => (index % CHUNK_BITS) >> 3

/** The place of a height, which may be negative. */
export const missedIndex = (height: number, window: number): number => ((height % window) + window) % window

/** The newest height up to `height` at a place. */
const heightAt = (index: number, height: number, window: number): number => height - missedIndex(height - index, window)

export const isMissed = (state: StateReader, address: Uint8Array, index: number): boolean => {
  const chunk = state.value(SLASHING_ADDRESS, missedChunkKey(address, Math.floor(index / CHUNK_BITS)))
  return chunk !== undefined && ((chunk[byteAt(index)] ?? 0) & bitMask(index)) !== 0
}

export const setMissed = (state: StateWriter, address: Uint8Array, index: number, missed: boolean): void => {
  const key = missedChunkKey(address, Math.floor(index / CHUNK_BITS))
  const chunk = state.value(SLASHING_ADDRESS, key)?.slice() ?? new Uint8Array(CHUNK_BYTES)
  const byte = chunk[byteAt(index)] ?? 0
  chunk[byteAt(index)] = missed ? byte | bitMask(index) : byte & ~bitMask(index)
  state.setValue(SLASHING_ADDRESS, key, isZeroBytes(chunk) ? undefined : chunk)
}

/** The places of all bits, rising. */
export const missedIndexes = (state: StateReader, address: Uint8Array, window: number): readonly number[] => {
  const indexes: number[] = []
  for (let chunk = 0; chunk < chunkCount(window); chunk++) {
    const bytes = state.value(SLASHING_ADDRESS, missedChunkKey(address, chunk))
    if (bytes === undefined) continue
    for (let bit = 0; bit < CHUNK_BITS; bit++) {
      if (((bytes[bit >> 3] ?? 0) & bitMask(bit)) !== 0) indexes.push(chunk * CHUNK_BITS + bit)
    }
  }
  return indexes
}

export const forgetMissed = (state: StateWriter, address: Uint8Array, window: number): void => {
  for (let chunk = 0; chunk < chunkCount(window); chunk++) {
    const key = missedChunkKey(address, chunk)
    if (state.value(SLASHING_ADDRESS, key) !== undefined) state.setValue(SLASHING_ADDRESS, key, undefined)
  }
}

/** Everyone with a bit, in the order of addresses. */
export const listMissing = (state: StateReader): readonly Uint8Array[] => {
  const addresses: Uint8Array[] = []
  for (let from: Uint8Array = MISSED_CHUNK; ; ) {
    const entries = state.values(SLASHING_ADDRESS, MISSED_CHUNK, PAGE, from)
    for (const [key] of entries) {
      const address = addressOfKey(key)
      const previous = addresses.at(-1)
      if (previous === undefined || !equalBytes(previous, address)) addresses.push(address)
    }
    const last = entries.at(-1)
    if (last === undefined || entries.length < PAGE) return addresses
    from = concatBytes(last[0], Uint8Array.of(0))
  }
}

/**
 * Moves the bits of one validator to the places of another window, when the votes up to `height` are counted. Only
 * the newest heights stay in a shorter window. Returns how many bits there are now.
 */
export const moveMissed = (
  state: StateWriter,
  address: Uint8Array,
  height: number,
  from: number,
  to: number,
): number => {
  const heights = missedIndexes(state, address, from)
    .map((index) => heightAt(index, height, from))
    .filter((each) => each > height - to)
  forgetMissed(state, address, from)
  for (const each of heights) setMissed(state, address, missedIndex(each, to), true)
  return heights.length
}
