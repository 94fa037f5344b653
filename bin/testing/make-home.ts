/**
 * Homes for tests, as `chain init`, `chain genesis add-account` and `chain genesis add-validator` make them: by the same
 * functions, without a process for each step.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { initHome } from '../cli/commands/init.ts'
import { openHome } from '../node/config/home.ts'
import { setTomlValue } from '../node/config/toml-lines.ts'
import { type GenesisDocument, readGenesisJson, writeGenesis } from '../node/genesis/document.ts'
import { addAccount, addValidator } from '../cli/genesis/edit.ts'
import { addTestMarkets, TEST_COINS } from '../cli/genesis/test-markets.ts'
import { readValidatorPublicKey } from '../node/genesis/validator-keys.ts'

const POWER = 10

export interface NewHome {
  readonly chainId: string
  /** The chain ID for chains that `chain init` does not know. */
  readonly evmChainId?: bigint
  readonly moniker?: string
  /** Funded in the genesis; the first one operates the validator. */
  readonly accounts: readonly string[]
  /** The balance of each account, such as 5nat. */
  readonly balance: string
  /** The markets of a devnet, whose denominations each account holds too. */
  readonly hasTestMarkets?: boolean | undefined
  /** The timeout of CometBFT's commit step in ms; the chain's own value when left out. */
  readonly timeoutCommitMs?: number | undefined
}

const editGenesis = (path: string, change: (document: GenesisDocument) => GenesisDocument): void =>
  writeGenesis(path, change(readGenesisJson(path) as GenesisDocument))

/** Values of config.toml, as TOML has them. */
export const editCometToml = (root: string, values: Readonly<Record<string, string>>): void => {
  const { configToml } = openHome(root)
  const toml = readFileSync(configToml, 'utf8')
  writeFileSync(
    configToml,
    Object.entries(values).reduce((text, [key, value]) => setTomlValue(text, key, value), toml),
  )
}

/** The validator of this home joins its genesis; the first account that has none operates it. */
export const addValidatorOf = (root: string): void => {
  const home = openHome(root)
  const publicKey = readValidatorPublicKey(home.validatorKey)
  editGenesis(home.genesis, (document) => addValidator(document, { publicKey, power: POWER, name: '' }))
}

/** A home whose genesis has accounts, and no validator. */
export const initFundedHome = async (root: string, options: NewHome): Promise<void> => {
  const { chainId, evmChainId, moniker = 'test', accounts, hasTestMarkets = false, timeoutCommitMs } = options
  const balance = hasTestMarkets ? `${options.balance},${TEST_COINS}` : options.balance
  const home = openHome(root)
  await initHome({ home, moniker, chainId, ...(evmChainId === undefined ? {} : { evmChainId }) })
  editGenesis(home.genesis, (document) => {
    const empty = hasTestMarkets ? addTestMarkets(document) : document
    return accounts.reduce((funded, address) => addAccount(funded, address, balance), empty)
  })
  // Tests say who knows whom.
  editCometToml(root, { 'p2p.pex': 'false' })
  if (timeoutCommitMs !== undefined) editCometToml(root, { 'consensus.timeout_commit': `"${timeoutCommitMs}ms"` })
}

/** The home of a chain's only validator. */
export const makeHome = async (root: string, options: NewHome): Promise<void> => {
  await initFundedHome(root, options)
  addValidatorOf(root)
}
