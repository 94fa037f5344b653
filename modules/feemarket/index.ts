/** The fee market: base fee by EIP-1559. See README.md. */
export { nextBaseFee } from './base-fee.ts'
export { FEE_MARKET_ADDRESS, readBaseFee, readFeeMarket } from './keeper.ts'
export { feeMarketModule } from './module.ts'
export { DEFAULT_FEE_MARKET_GENESIS, type FeeMarketGenesis, type FeeMarketParams } from './params.ts'
export { parseFeeMarketGenesis } from './genesis.ts'
