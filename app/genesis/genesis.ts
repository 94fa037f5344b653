/** The genesis: app_state of the genesis file to the state and header of block 0. */
import { type Address, FEE_COLLECTOR_ADDRESS, moduleAddress } from '../../core/address.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { bytesToKey, bytesToUtf8, equalBytes, padLeft, trimLeadingZeros } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { hexToBytes } from '../../core/hex.ts'
import { failAt, parseArray, parseInteger, parseObject, parseString, type JsonObject } from '../../core/parse.ts'
import { HARDFORKS, type Hardfork } from '../../evm/engine.ts'
import { BEACON_ROOTS, HISTORY_STORAGE } from '../../evm/system-contracts.ts'
import { parseBankGenesis } from '../../modules/bank/index.ts'
import { parseFeeMarketGenesis } from '../../modules/feemarket/index.ts'
import { EMPTY_ACCOUNT, type StateWriter } from '../../store/state.ts'
import type { ChainParameters } from '../chain.ts'

/** EVM chain ids of the chains that this software has presets for. */
export const KNOWN_CHAINS: Readonly<Record<string, bigint>> = {
  'localnat-1': 2517n,
  'nat-2517-1': 2517n,
  'nat-2518-1': 2518n,
}

/** Module accounts beside those that the modules own. */
export const MODULE_ACCOUNTS: readonly string[] = ['bank', 'feemarket', 'consensus']

const MAX_CONTRACTS = 100_000

interface GenesisContract {
  readonly address: Address
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

export interface Genesis {
  readonly evmChainId: bigint
  readonly hardforks: ChainParameters['hardforks']
  readonly contracts: readonly GenesisContract[]
  /** The member of each module, unparsed. */
  readonly modules: JsonObject
}

const parseHex = (value: unknown, path: string, maxBytes: number): Uint8Array => {
  const text = parseString(value, path)
  if (!/^0x([0-9a-fA-F]{2})*$/.test(text)) failAt(path, 'must be hexadecimal with 0x and an even number of digits')
  const bytes = hexToBytes(text)
  return bytes.length <= maxBytes ? bytes : failAt(path, `has ${bytes.length} bytes, at most ${maxBytes} are allowed`)
}

const parseHardforks = (value: unknown, path: string): ChainParameters['hardforks'] => {
  if (value === undefined) return [{ hardfork: 'osaka', timestamp: 0 }]
  const object = parseObject(value, path, HARDFORKS)
  const entries = HARDFORKS.filter((name) => object[name] !== undefined).map((hardfork: Hardfork) => ({
    hardfork,
    timestamp: parseInteger(object[hardfork], `${path}.${hardfork}`),
  }))
  const [first] = entries
  if (first === undefined || first.timestamp !== 0) failAt(path, 'the first fork must begin at timestamp 0')
  for (const [index, entry] of entries.entries()) {
    const previous = entries[index - 1]
    if (previous !== undefined && previous.timestamp > entry.timestamp) {
      failAt(`${path}.${entry.hardfork}`, `must not begin before ${previous.hardfork}`)
    }
  }
  return entries
}

const parseStorage = (storage: JsonObject, path: string): GenesisContract['storage'] => {
  const seen = new Set<string>()
  return Object.entries(storage).map(([slot, held]) => {
    const padded = padLeft(parseHex(slot, path, 32), 32)
    if (seen.has(bytesToKey(padded))) failAt(`${path}.${slot}`, 'duplicate slot')
    seen.add(bytesToKey(padded))
    return [padded, trimLeadingZeros(parseHex(held, `${path}.${slot}`, 32))]
  })
}

const parseContract = (value: unknown, path: string): GenesisContract => {
  const object = parseObject(value, path, ['address', 'nonce', 'code', 'storage'])
  const storage = parseObject(
    object['storage'] ?? {},
    `${path}.storage`,
    Object.keys((object['storage'] as object | undefined) ?? {}),
  )
  let address: Address
  try {
    address = parseAccountAddress(parseString(object['address'], `${path}.address`))
  } catch (error) {
    return failAt(`${path}.address`, (error as Error).message)
  }
  // Its storage is the module's own: slots of a contract would make a root that no module value explains.
  const owner = [...MODULE_ACCOUNTS, 'fee_collector'].find((name) => equalBytes(moduleAddress(name), address))
  if (owner !== undefined) failAt(`${path}.address`, `is the account of the ${owner} module`)
  return {
    address,
    nonce: BigInt(parseInteger(object['nonce'] ?? 1, `${path}.nonce`)),
    code: parseHex(object['code'] ?? '0x', `${path}.code`, 24_576),
    storage: parseStorage(storage, `${path}.storage`),
  }
}

/**
 * Parses and checks a whole app_state, module members included, so that a wrong genesis file is refused before the
 * chain starts. Throws genesis/1 with the member at fault.
 */
export const parseGenesis = (appState: unknown, chainId: string): Genesis => {
  const members = ['evm', ...MODULE_ACCOUNTS]
  const root = parseObject(appState, 'app_state', members)
  const evm = parseObject(root['evm'], 'app_state.evm', ['chain_id', 'hardforks', 'accounts'])
  const evmChainId = BigInt(parseInteger(evm['chain_id'], 'app_state.evm.chain_id'))
  const known = KNOWN_CHAINS[chainId]
  if (evmChainId === 0n) failAt('app_state.evm.chain_id', 'must not be zero')
  if (known !== undefined && known !== evmChainId) {
    failAt('app_state.evm.chain_id', `is ${evmChainId}, but ${chainId} has the EVM chain id ${known}`)
  }
  const seen = new Set<string>()
  const contracts = parseArray(evm['accounts'], 'app_state.evm.accounts', MAX_CONTRACTS).map((item, index) => {
    const path = `app_state.evm.accounts[${index}]`
    const contract = parseContract(item, path)
    const key = contract.address.join()
    if (seen.has(key)) failAt(`${path}.address`, 'duplicate account')
    seen.add(key)
    return contract
  })
  parseBankGenesis(root['bank'])
  parseFeeMarketGenesis(root['feemarket'])
  parseObject(root['consensus'] ?? {}, 'app_state.consensus', [])
  return {
    evmChainId,
    hardforks: parseHardforks(evm['hardforks'], 'app_state.evm.hardforks'),
    contracts,
    modules: root,
  }
}

/** app_state as InitChain brings it: JSON bytes. */
export const parseGenesisBytes = (bytes: Uint8Array, chainId: string): Genesis => {
  let parsed: unknown
  try {
    parsed = JSON.parse(bytesToUtf8(bytes))
  } catch (error) {
    throw new CodedError('genesis', 2, `app_state is not valid JSON: ${(error as Error).message}`)
  }
  return parseGenesis(parsed, chainId)
}

/** Accounts that are there from the first block: system accounts, system contracts, contracts of the file. */
export const writeGenesisAccounts = (state: StateWriter, genesis: Genesis): void => {
  for (const address of [...MODULE_ACCOUNTS.map(moduleAddress), FEE_COLLECTOR_ADDRESS]) {
    // Nonce 1: EIP-161 would delete an empty account, and its storage with it, at the first touch.
    state.setAccount(address, { ...(state.account(address) ?? EMPTY_ACCOUNT), nonce: 1n })
  }
  const contracts: readonly GenesisContract[] = [
    { address: HISTORY_STORAGE.address, nonce: 1n, code: HISTORY_STORAGE.code, storage: [] },
    { address: BEACON_ROOTS.address, nonce: 1n, code: BEACON_ROOTS.code, storage: [] },
    ...genesis.contracts,
  ]
  for (const { address, nonce, code, storage } of contracts) {
    const codeHash = state.setCode(code)
    state.setAccount(address, { ...(state.account(address) ?? EMPTY_ACCOUNT), nonce, codeHash })
    for (const [slot, value] of storage) state.setStorage(address, slot, value)
  }
}
