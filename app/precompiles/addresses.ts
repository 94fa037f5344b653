/** Where the precompiles stand: the addresses of cosmos/evm (x/vm/types/precompiles.go). */
import { precompileAddress } from '../../evm/precompile-addresses.ts'

export const BECH32_PRECOMPILE = precompileAddress(0x400)
export const STAKING_PRECOMPILE = precompileAddress(0x800)
export const DISTRIBUTION_PRECOMPILE = precompileAddress(0x801)
export const BANK_PRECOMPILE = precompileAddress(0x804)
export const GOV_PRECOMPILE = precompileAddress(0x805)
export const SLASHING_PRECOMPILE = precompileAddress(0x806)
