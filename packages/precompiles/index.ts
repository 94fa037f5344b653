/** ABIs and addresses of the precompiled contracts of the chain, for viem and whatever else reads JSON ABIs. */
export { bankAbi } from './abi/bank.ts'
export { bech32Abi } from './abi/bech32.ts'
export { distributionAbi } from './abi/distribution.ts'
export { govAbi } from './abi/gov.ts'
export { slashingAbi } from './abi/slashing.ts'
export { stakingAbi } from './abi/staking.ts'
export { NATIVE_TOKEN_ADDRESS, PRECOMPILE_ADDRESSES } from './addresses.ts'
