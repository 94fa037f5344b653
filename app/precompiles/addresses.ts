/** Where the precompiles stand: the addresses of cosmos/evm (x/vm/types/precompiles.go). */
import { precompileAddress } from '../../evm/precompile-addresses.ts'

export const BECH32_PRECOMPILE = precompileAddress(0x400)
export const STAKING_PRECOMPILE = precompileAddress(0x800)
export const DISTRIBUTION_PRECOMPILE = precompileAddress(0x801)
export const BANK_PRECOMPILE = precompileAddress(0x804)
export const GOV_PRECOMPILE = precompileAddress(0x805)
export const SLASHING_PRECOMPILE = precompileAddress(0x806)

/** As eth_config shows them (EIP-7910). */
export const NATIVE_PRECOMPILE_NAMES = [
  ['BECH32', BECH32_PRECOMPILE],
  ['STAKING', STAKING_PRECOMPILE],
  ['DISTRIBUTION', DISTRIBUTION_PRECOMPILE],
  ['BANK', BANK_PRECOMPILE],
  ['GOV', GOV_PRECOMPILE],
  ['SLASHING', SLASHING_PRECOMPILE],
] as const
