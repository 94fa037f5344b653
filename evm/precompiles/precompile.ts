/** The shape of Ethereum's precompiled contracts: what a call costs, and, once that is paid, what it computes. */

export interface Precompile {
  /** Gas of a call. Looks at lengths and numbers of the input alone; Infinity is more than there can be. */
  readonly gasOf: (input: Uint8Array) => number
  /** The output, or why the input is refused, in geth's words. Only runs when the gas is there; a refusal takes all of it. */
  readonly run: (input: Uint8Array) => Uint8Array | string
}

export const OUT_OF_GAS = 'out of gas'
export const INVALID_LENGTH = 'invalid input length'

/** The first `length` bytes, continued by zeros where the input is shorter. */
export const padRight = (input: Uint8Array, length: number): Uint8Array => {
  if (input.length >= length) return input.subarray(0, length)
  const padded = new Uint8Array(length)
  padded.set(input)
  return padded
}
