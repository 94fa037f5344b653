/** The genesis file: CometBFT's document with this chain's app_state. */
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { DECIMALS, DENOMINATION, DISPLAY_DENOMINATION } from '../../../core/amounts.ts'
import { GENESIS_MAX_BLOCK_BYTES, GENESIS_MAX_BLOCK_GAS, MAX_GENESIS_BYTES } from '../../../core/limits.ts'
import { DEFAULT_CLOB_PARAMETERS, formatParameters } from '../../../modules/clob/index.ts'
import { isPublicNetwork } from '../config/networks.ts'
import { cliError, errorText } from '../../errors.ts'

export interface GenesisCoin {
  readonly denom: string
  readonly amount: string
}

export interface GenesisBalance {
  readonly address: string
  readonly coins: readonly GenesisCoin[]
}

export interface GenesisValidator {
  readonly address: string
  readonly pub_key: { readonly type: string; readonly value: string }
  readonly power: string
  readonly name: string
}

/** Names as in the file. */
export interface GenesisDocument {
  readonly genesis_time: string
  readonly chain_id: string
  readonly initial_height: string
  readonly consensus_params: unknown
  readonly validators?: readonly GenesisValidator[]
  readonly app_hash: string
  readonly app_state: {
    readonly bank: {
      readonly balances: readonly GenesisBalance[]
      readonly supply: readonly GenesisCoin[]
      readonly denom_metadata: readonly unknown[]
    }
    readonly [module: string]: unknown
  }
}

const CONSENSUS_PARAMS = {
  block: { max_bytes: GENESIS_MAX_BLOCK_BYTES.toString(), max_gas: GENESIS_MAX_BLOCK_GAS.toString() },
  evidence: { max_age_num_blocks: '100000', max_age_duration: '172800000000000', max_bytes: '1048576' },
  validator: { pub_key_types: ['ed25519'] },
  // Equal to the application's version in Info, or CometBFT refuses to start.
  version: { app: '1' },
  abci: { vote_extensions_enable_height: '1' },
} as const

const NAT_METADATA = {
  description: 'The native token: gas, staking and governance',
  denom_units: [
    { denom: DENOMINATION, exponent: 0, aliases: [] },
    { denom: DISPLAY_DENOMINATION, exponent: DECIMALS, aliases: [] },
  ],
  base: DENOMINATION,
  display: DISPLAY_DENOMINATION,
  name: DISPLAY_DENOMINATION,
  symbol: DISPLAY_DENOMINATION,
} as const

/**
 * The most weight of the orders of a block, for new chains: the least that there is. A block of fills between ever
 * other owners takes 0.9 s for 5,000 of them, and 0.6 s is the aim (docs/performance.md). Governance may raise it where
 * machines are faster.
 */
const CLOB_BLOCK_WEIGHT = 4_000
/** What contracts may queue for the next block: a quarter of that, beside it. Whoever queues pays for it with gas, and in weight of its block. */
const CLOB_CONTRACT_WEIGHT = 1_000

/** A genesis without accounts and validators. `genesisTime` in RFC 3339. */
export const createGenesis = (chainId: string, evmChainId: bigint, genesisTime: string): GenesisDocument => ({
  genesis_time: genesisTime,
  chain_id: chainId,
  initial_height: '1',
  consensus_params: CONSENSUS_PARAMS,
  validators: [],
  app_hash: '',
  app_state: {
    evm: { chain_id: evmChainId.toString(), hardforks: { osaka: 0 }, accounts: [] },
    bank: { balances: [], supply: [], denom_metadata: [NAT_METADATA] },
    feemarket: {
      base_fee: '1900000000',
      min_base_fee: '1900000000',
      elasticity_multiplier: 2,
      base_fee_change_denominator: 8,
    },
    // On public networks governance decides who signs blocks; anyone may run a full node.
    // A developer who bridges does not wait for a day.
    ...(isPublicNetwork(chainId)
      ? { admission: { params: { approval_required: true }, operators: [] } }
      : { bridge: { params: { delay_blocks: 5, delay_seconds: 5 } } }),
    consensus: {},
    clob: {
      params: formatParameters({
        ...DEFAULT_CLOB_PARAMETERS,
        blockWeight: CLOB_BLOCK_WEIGHT,
        contractWeight: CLOB_CONTRACT_WEIGHT,
      }),
    },
  },
})

/** JSON of unknown shape: validate it before use. Throws cli/5. */
export const readGenesisJson = (path: string): unknown => {
  if (!existsSync(path)) throw cliError('genesis', `${path} does not exist`)
  const { size } = statSync(path)
  if (size > MAX_GENESIS_BYTES) {
    throw cliError('genesis', `${path} has ${size} bytes, at most ${MAX_GENESIS_BYTES} are read`)
  }
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw cliError('genesis', `${path} is no JSON, or cut short: ${errorText(error)}`)
  }
}

/** Replaces the file at once: a reader sees the old or the new one. */
export const writeGenesis = (path: string, document: unknown): void => {
  const temporary = `${path}.${randomUUID()}.new`
  writeFileSync(temporary, `${JSON.stringify(document, null, 2)}\n`, { flag: 'wx', mode: 0o600, flush: true })
  // Everybody may read it, as the one that CometBFT makes.
  chmodSync(temporary, 0o644)
  renameSync(temporary, path)
}
