/** Tokens of contracts as denominations, and denominations as contracts. See README.md. */
export { addressOfDenom, denomOf } from './denom.ts'
export type { Erc20Dependencies } from './deps.ts'
export { readAllowance, readView, viewAddress } from './keeper/index.ts'
export { ERC20_ADDRESS } from './keys.ts'
export { erc20Module } from './module.ts'
export { approve, spendAllowance } from './view.ts'
