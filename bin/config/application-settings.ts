/** The settings of app.toml that the application reads, in its own words. */
import { APPLICATION_DEFAULTS, type ApplicationSettings } from '../../app/settings.ts'
import type { Settings } from './settings.ts'

export const toApplicationSettings = (settings: Settings): ApplicationSettings => ({
  ...APPLICATION_DEFAULTS,
  minimumGasPriceAnat: settings['minimum-gas-prices'],
  maxBlockMs: settings['evm.max-block-ms'],
  pool: {
    ...APPLICATION_DEFAULTS.pool,
    priceBumpPercent: settings['evm.mempool.price-bump'],
    accountSlots: settings['evm.mempool.account-slots'],
    globalSlots: settings['evm.mempool.global-slots'],
    accountQueue: settings['evm.mempool.account-queue'],
    globalQueue: settings['evm.mempool.global-queue'],
    lifetimeMs: settings['evm.mempool.lifetime'],
  },
  gasCap: BigInt(settings['json-rpc.gas-cap']),
  evmTimeoutMs: settings['json-rpc.evm-timeout'],
  txFeeCapAnat: settings['json-rpc.txfee-cap'],
  allowUnprotectedTransactions: settings['json-rpc.allow-unprotected-txs'],
  feeHistoryCap: settings['json-rpc.feehistory-cap'],
  logsCap: settings['json-rpc.logs-cap'],
  blockRangeCap: settings['json-rpc.block-range-cap'],
  filterTimeoutMs: settings['json-rpc.filter-timeout'],
  minRetainBlocks: settings['min-retain-blocks'],
})
