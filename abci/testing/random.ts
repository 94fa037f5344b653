/** Random numbers that a seed repeats (mulberry32), for tests. */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  next(below: number): number
  bytes(length: number): Uint8Array
}

export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
  return { next, bytes: (length) => Uint8Array.from({ length }, () => next(256)) }
}
