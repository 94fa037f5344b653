/** The one ledger. See README.md. */
export { type BankGenesis, parseBankGenesis } from './genesis.ts'
export {
  BANK_ADDRESS,
  burn,
  type Coin,
  mint,
  noteBurntByEvm,
  readBalance,
  readBalances,
  readSupplies,
  readSupply,
  send,
} from './keeper.ts'
export type { BankDependencies } from './deps.ts'
export { createBankModule } from './module.ts'
export { sendCoins } from './transfer.ts'
