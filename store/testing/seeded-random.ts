/** For tests: the same numbers in every run of a seed (mulberry32). */

/** A number from 0 up to `below`, exclusive. */
export type Pick = (below: number) => number

export const seededRandom = (seed: number): Pick => {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
