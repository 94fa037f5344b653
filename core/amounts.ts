/** Amounts are integers in anat, 10^-18 NAT. */

export const ANAT_PER_NAT = 10n ** 18n
export const ANAT_PER_GWEI = 10n ** 9n
export const DENOMINATION = 'anat'
export const DISPLAY_DENOMINATION = 'NAT'
export const DECIMALS = 18
export const BECH32_PREFIX = 'nat'
export const MAX_UINT256 = (1n << 256n) - 1n
export const MAX_UINT64 = (1n << 64n) - 1n
