/** The home of a devnet: made with its genesis and its keys, made anew where that was interrupted, and deleted. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ANAT_PER_NAT, DENOMINATION } from '../../../core/amounts.ts'
import type { Home } from '../../node/config/home.ts'
import { cliError } from '../../errors.ts'
import { type GenesisDocument, readGenesisJson, writeGenesis } from '../../node/genesis/document.ts'
import { validateGenesis } from '../../node/genesis/validate.ts'
import { readValidatorPublicKey } from '../../node/genesis/validator-keys.ts'
import { isNodeRunning } from '../../node/is-node-running.ts'
import { initHome } from '../commands/init.ts'
import { addAccount, addValidator } from '../genesis/edit.ts'
import { addPredeploys } from '../genesis/predeploys.ts'
import { addTestMarkets, TEST_COINS } from '../genesis/test-markets.ts'
import { devnetAccounts, SHARED_EVM_CHAIN_ID } from '../keys/devnet-accounts.ts'
import { keyDevnet } from '../keys/devnet-keyring.ts'
import { devnetMarker } from './running.ts'

const BALANCE = `1000000nat,${TEST_COINS}`
/** One with an EVM chain id of its own is a chain of its own to native clients too. */
const chainIdOf = (evmChainId: bigint): string =>
  evmChainId === SHARED_EVM_CHAIN_ID ? 'localnat-1' : `localnat-${evmChainId}-1`
/** The power in NAT: whatever the ten accounts delegate elsewhere, this validator decides, and the chain goes on. */
const VALIDATOR_POWER = 100_000_000
/** Nobody waits two days for the vote of a devnet. */
export const GOVERNANCE = {
  params: {
    min_deposit: [{ denom: DENOMINATION, amount: (10n * ANAT_PER_NAT).toString() }],
    expedited_min_deposit: [{ denom: DENOMINATION, amount: (50n * ANAT_PER_NAT).toString() }],
    max_deposit_period: '60s',
    voting_period: '30s',
    expedited_voting_period: '15s',
  },
} as const
/** Pages that developers serve on this machine, on any port, and the wallets that they test with. */
const ORIGINS = ['http://localhost', 'http://127.0.0.1', 'http://[::1]', 'chrome-extension://', 'moz-extension://']

export interface DevnetHomeOptions {
  readonly home: Home
  readonly reset: boolean
  /** The EVM chain ID of a new chain, or that of the one that is there: 2517 and any when left out. */
  readonly evmChainId?: bigint
}

/** In the marker while the home is made or deleted: what was interrupted then is made anew. */
const unfinishedMarker = (home: Home): string => join(devnetMarker(home), 'unfinished')

const fundedGenesis = (home: Home): GenesisDocument => {
  const empty = readGenesisJson(home.genesis) as GenesisDocument
  const funded = devnetAccounts().reduce((document, { address }) => addAccount(document, address, BALANCE), empty)
  const governed = { ...funded, app_state: { ...funded.app_state, gov: GOVERNANCE } }
  return addValidator(addPredeploys(addTestMarkets(governed)), {
    publicKey: readValidatorPublicKey(home.validatorKey),
    power: VALIDATOR_POWER,
    name: 'devnet',
    operator: devnetAccounts()[0]?.address,
  })
}

const isComplete = (home: Home): boolean => existsSync(devnetMarker(home)) && !existsSync(unfinishedMarker(home))

const makeDevnet = async (home: Home, evmChainId: bigint): Promise<void> => {
  mkdirSync(devnetMarker(home), { recursive: true, mode: 0o700 })
  writeFileSync(unfinishedMarker(home), '')
  await initHome({
    home,
    chainId: chainIdOf(evmChainId),
    evmChainId,
    moniker: 'devnet',
    overwrite: true,
    settings: {
      'json-rpc.api': ['eth', 'net', 'web3', 'debug', 'txpool'],
      // Deployments that are signed once for all chains have none (Nick's method).
      'json-rpc.allow-unprotected-txs': true,
      'json-rpc.http-origins': ORIGINS,
      'json-rpc.ws-origins': ORIGINS,
      'api.cors-allowed-origins': ORIGINS,
      'api.page': true,
    },
  })
  const genesis = fundedGenesis(home)
  validateGenesis(genesis, home.genesis)
  writeGenesis(home.genesis, genesis)
  keyDevnet(home)
  rmSync(unfinishedMarker(home))
}

/** Deletes a devnet. Throws cli/3 for a folder that holds anything else. */
const forget = (home: Home): void => {
  if (!existsSync(home.root)) return
  const names = readdirSync(home.root)
  if (names.length === 0) return
  const marker = devnetMarker(home)
  if (!existsSync(marker)) {
    throw cliError(
      'homeExists',
      `${home.root} is not empty, and not the home of a devnet: it is left alone. Name another folder`,
    )
  }
  // The marker goes last: without it what is left would be nobody's.
  writeFileSync(unfinishedMarker(home), '')
  for (const name of names) {
    const path = join(home.root, name)
    if (path !== marker) rmSync(path, { recursive: true })
  }
  rmSync(marker, { recursive: true })
}

/** Throws cli/7 for a chain that was made with another EVM chain id. */
const requireEvmChainId = ({ home, evmChainId }: DevnetHomeOptions): void => {
  const held = validateGenesis(readGenesisJson(home.genesis), home.genesis).evmChainId
  if (evmChainId === undefined || held === evmChainId) return
  throw cliError(
    'wrongChain',
    `the devnet in ${home.root} has the EVM chain id ${held}, not ${evmChainId}: delete it with "make devnet-reset" or --reset, or name another home in DEVNET_HOME`,
  )
}

/**
 * Makes the home where there is none, or anew. Throws cli/3 for a folder that holds anything else, cli/7, and cli/11 beside a devnet with the
 * same home: its chain and its log are its own.
 */
export const prepareDevnetHome = async (options: DevnetHomeOptions): Promise<void> => {
  const { home, reset, evmChainId } = options
  if (await isNodeRunning(home)) {
    throw cliError('homeInUse', `the chain in ${home.root} runs already: stop it first, or name a home in DEVNET_HOME`)
  }
  if (reset || !isComplete(home)) {
    forget(home)
    await makeDevnet(home, evmChainId ?? SHARED_EVM_CHAIN_ID)
  } else requireEvmChainId(options)
  mkdirSync(home.logs, { recursive: true })
}
