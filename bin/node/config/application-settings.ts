/** The settings of app.toml that the application reads, in its own words. */
import { APPLICATION_DEFAULTS, type ApplicationSettings, type PruningSettings } from '../../../app/settings.ts'
import type { Settings } from './settings.ts'

/**
 * The pruning by the names of the setting `pruning`. See docs/adr/016-pruning-by-sweep.md for the figures of `default`.
 */
const pruningOf = (settings: Settings): PruningSettings => {
  switch (settings.pruning) {
    case 'default':
      return { keepRecent: 362_880, interval: 500 }
    case 'nothing':
      return { keepRecent: 0, interval: 0 }
    case 'everything':
      return { keepRecent: 2, interval: 0 }
    case 'custom':
      return { keepRecent: settings['pruning-keep-recent'], interval: settings['pruning-interval'] }
  }
}

export const toApplicationSettings = (settings: Settings): ApplicationSettings => ({
  ...APPLICATION_DEFAULTS,
  minimumGasPriceAnat: settings['minimum-gas-prices'],
  maxBlockMs: settings['evm.max-block-ms'],
  maxTransactionGas: BigInt(settings['evm.max-tx-gas-wanted']),
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
  pruning: pruningOf(settings),
  minRetainBlocks: settings['min-retain-blocks'],
  skippedUpgrades: settings['unsafe-skip-upgrades'],
})
