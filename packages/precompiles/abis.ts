/** The ABIs by the names of their contracts. */
import { bankAbi } from './abi/bank.ts'
import { bech32Abi } from './abi/bech32.ts'
import { bridgeAbi } from './abi/bridge.ts'
import { clobAbi } from './abi/clob.ts'
import { distributionAbi } from './abi/distribution.ts'
import { converterAbi } from './abi/erc20.ts'
import { govAbi } from './abi/gov.ts'
import { slashingAbi } from './abi/slashing.ts'
import { stakingAbi } from './abi/staking.ts'
import type { PRECOMPILE_ADDRESSES } from './addresses.ts'

export const PRECOMPILE_ABIS = {
  bech32: bech32Abi,
  staking: stakingAbi,
  distribution: distributionAbi,
  bank: bankAbi,
  gov: govAbi,
  slashing: slashingAbi,
  clob: clobAbi,
  erc20: converterAbi,
  bridge: bridgeAbi,
} as const satisfies Record<keyof typeof PRECOMPILE_ADDRESSES, readonly object[]>
