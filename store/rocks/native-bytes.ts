/**
 * Short byte strings for native code. V8 keeps arrays of up to 64 bytes in its heap, and moves one to memory of its own
 * as soon as native code asks where it lies: 1.5 µs for what is then thrown away. A copy into an array that lies outside
 * already costs a tenth of that.
 */

const MAX_HEAP_BYTES = 64

/** Returns the bytes as native code reads them at once: what it returned before is overwritten. */
export const createNativeBytes = (): ((bytes: Uint8Array) => Uint8Array) => {
  const byLength = Array.from({ length: MAX_HEAP_BYTES + 1 }, (_, length) => new Uint8Array(new ArrayBuffer(length)))
  return (bytes) => {
    const outside = byLength[bytes.length]
    if (outside === undefined) return bytes
    outside.set(bytes)
    return outside
  }
}
