/** Rules of native transactions that governance may change, with the defaults of x/auth. */

export interface AuthParameters {
  /** Bytes, whatever the name says. */
  readonly maxMemoCharacters: bigint
  /** Keys of all signers together, those of a multisig one by one. */
  readonly txSigLimit: bigint
  /** Gas. */
  readonly txSizeCostPerByte: bigint
  /** Gas. Such keys do not sign here. */
  readonly sigVerifyCostEd25519: bigint
  /** Gas of a plain secp256k1 signature; that of an Ethereum key has Ethereum's price. */
  readonly sigVerifyCostSecp256k1: bigint
}

export const DEFAULT_AUTH_PARAMETERS: AuthParameters = {
  maxMemoCharacters: 256n,
  txSigLimit: 7n,
  txSizeCostPerByte: 10n,
  sigVerifyCostEd25519: 590n,
  sigVerifyCostSecp256k1: 1_000n,
}

/** What the software reads of a transaction at all: no parameter lifts it. */
export const AUTH_LIMITS = { maxMemoCharacters: 256n, txSigLimit: 7n } as const

/**
 * Most that a parameter of gas can be. Prices that no transaction could pay would keep every vote out that might lower
 * them again: at these, a vote of some hundred bytes with seven signatures costs below a million of gas.
 */
const MAX_COSTS = {
  txSizeCostPerByte: 1_000n,
  sigVerifyCostEd25519: 100_000n,
  sigVerifyCostSecp256k1: 100_000n,
} as const

/** The fixed order of the parameters, with their names on the wire and in the SDK's refusals. */
export const PARAMETER_NAMES = [
  ['maxMemoCharacters', 'max_memo_characters', 'max memo characters'],
  ['txSigLimit', 'tx_sig_limit', 'tx signature limit'],
  ['txSizeCostPerByte', 'tx_size_cost_per_byte', 'tx size cost per byte'],
  ['sigVerifyCostEd25519', 'sig_verify_cost_ed25519', 'ED25519 signature verification cost'],
  ['sigVerifyCostSecp256k1', 'sig_verify_cost_secp256k1', 'SECP256k1 signature verification cost'],
] as const

/** What is wrong, or undefined. */
export const parametersFault = (parameters: AuthParameters): string | undefined => {
  for (const [name, , words] of PARAMETER_NAMES) if (parameters[name] === 0n) return `invalid ${words}: 0`
  const { maxMemoCharacters, txSigLimit } = AUTH_LIMITS
  if (parameters.maxMemoCharacters > maxMemoCharacters) {
    return `max_memo_characters must not be above ${maxMemoCharacters}, the most that the software reads`
  }
  if (parameters.txSigLimit > txSigLimit) {
    return `tx_sig_limit must not be above ${txSigLimit}, the most that the software reads`
  }
  for (const [name, wireName] of PARAMETER_NAMES) {
    const most = name in MAX_COSTS ? MAX_COSTS[name as keyof typeof MAX_COSTS] : undefined
    if (most !== undefined && parameters[name] > most) return `${wireName} must not be above ${most} gas`
  }
  return undefined
}
