/** The one ledger. See README.md. */
export { type BankGenesis, parseBankGenesis } from './genesis.ts'
export {
  BANK_ADDRESS,
  burn,
  mint,
  noteBurntByEvm,
  readBalance,
  readBalances,
  readSupplies,
  readSupply,
  send,
} from './keeper/balances.ts'
export type { BankDependencies } from './deps.ts'
export { describeDenom, forgetDenom } from './keeper/describe.ts'
export { createLedger } from './ledger.ts'
export { balanceKey } from './keys.ts'
export { bankModule } from './module.ts'
export { sendCoins } from './transfer.ts'
