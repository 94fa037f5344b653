/** The genesis: app_state of the genesis file to the state and header of block 0. */
import type { Address } from '../../core/address.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { bytesToKey, bytesToUtf8, padLeft, trimLeadingZeros } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { hexToBytes } from '../../core/hex.ts'
import { MAX_CODE_BYTES } from '../../core/limits.ts'
import {
  failAt,
  GENESIS_ERRORS,
  parseArray,
  parseInteger,
  parseObject,
  parseString,
  type JsonObject,
} from '../../core/parse.ts'
import type { Hash } from '../../core/hash.ts'
import { HARDFORKS, type Hardfork } from '../../evm/engine.ts'
import { BEACON_ROOTS, HISTORY_STORAGE } from '../../evm/system-contracts.ts'
import { EMPTY_ACCOUNT, type StateWriter } from '../../store/state.ts'
import type { ChainParameters } from '../records/chain-parameters.ts'
import { NATIVE_PRECOMPILE_ADDRESSES, NATIVE_TOKEN, NATIVE_TOKEN_CODE, PRECOMPILE_CODE } from '../precompiles/index.ts'
import { evmChainIdOf, isKnownChain } from './known-chains.ts'
import { moduleAccountName, SYSTEM_ADDRESSES } from './module-accounts.ts'
import { MODULES } from '../module-list.ts'
import { publicKeyFault } from './public-keys.ts'

/** Version of the protocol between application and CometBFT: Info tells it, and the consensus parameters of a genesis name it. */
export const APP_VERSION = 1

const MAX_ACCOUNTS = 10_000_000

const HASH_BYTES = 32

interface GenesisContract {
  readonly address: Address
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

export interface Genesis {
  readonly evmChainId: bigint
  readonly hardforks: ChainParameters['hardforks']
  /** Parsed anew each time: there may be millions. */
  readonly contracts: Iterable<GenesisContract>
  /** The member of each module, unparsed. */
  readonly modules: JsonObject
  /** What an export says of itself; only a genesis that `chain export` made has it. */
  readonly provenance: Provenance | undefined
}

/** What an export says of itself, so that a file that was cut short or changed is found out. */
interface Provenance {
  /** Height of the block whose state it is. */
  readonly height: number
  readonly stateRoot: Hash
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
  // Storage of a system account is its module's own: slots of a contract would make a root that no value explains.
  const owner = moduleAccountName(address)
  if (owner !== undefined) failAt(`${path}.address`, `is the account of the ${owner} module`)
  return {
    address,
    nonce: BigInt(parseInteger(object['nonce'] ?? 1, `${path}.nonce`)),
    code: parseHex(object['code'] ?? '0x', `${path}.code`, MAX_CODE_BYTES),
    storage: parseStorage(storage, `${path}.storage`),
  }
}

const EVM_ACCOUNTS = 'app_state.evm.accounts'

function* parseContracts(items: readonly unknown[]): Generator<GenesisContract, void> {
  for (const [index, item] of items.entries()) yield parseContract(item, `${EVM_ACCOUNTS}[${index}]`)
}

/** Returns how many slots there are. */
const checkContracts = (items: readonly unknown[]): number => {
  const seen = new Set<string>()
  let slots = 0
  for (const { address, storage } of parseContracts(items)) {
    const key = bytesToKey(address)
    if (seen.has(key)) failAt(`${EVM_ACCOUNTS}[${seen.size}].address`, 'duplicate account')
    seen.add(key)
    slots += storage.length
  }
  return slots
}

/**
 * Counts in an export; the lists stand before it in the file. Their names are those of accounts, then
 * `<module>_<list>`.
 */
export type ExportCounts = Readonly<Record<string, number>>

export const countName = (module: string, list: string): string => `${module}_${list}`

const parseProvenance = (value: unknown, found: ExportCounts): Provenance | undefined => {
  if (value === undefined) return undefined
  const path = 'app_state.export'
  const object = parseObject(value, path, ['height', 'block_hash', 'state_root', ...Object.keys(found)])
  for (const [name, count] of Object.entries(found)) {
    const expected = parseInteger(object[name], `${path}.${name}`)
    if (expected !== count) {
      failAt(
        `${path}.${name}`,
        `is ${expected}, but the file has ${count}: it was cut short or changed (without ${path} it is the genesis of another chain)`,
      )
    }
  }
  const stateRoot = parseHex(object['state_root'], `${path}.state_root`, HASH_BYTES)
  if (stateRoot.length !== HASH_BYTES) failAt(`${path}.state_root`, `must have ${HASH_BYTES} bytes`)
  return { height: parseInteger(object['height'], `${path}.height`), stateRoot }
}

/** Lengths of the lists that modules have counted. */
const countLists = (root: JsonObject): ExportCounts => {
  const counts: Record<string, number> = {}
  for (const { name, countedLists = [] } of MODULES) {
    const member = root[name] as JsonObject | undefined
    for (const list of countedLists) {
      const items = member?.[list]
      counts[countName(name, list)] = Array.isArray(items) ? items.length : 0
    }
  }
  return counts
}

/**
 * Parses and checks a whole app_state, module members included, so that a wrong genesis file is refused before the
 * chain starts. Throws genesis/1 with the member at fault.
 */
export const parseGenesis = (appState: unknown, chainId: string): Genesis => {
  const members = ['evm', ...MODULES.map(({ name }) => name), 'export']
  const root = parseObject(appState, 'app_state', members)
  const evm = parseObject(root['evm'], 'app_state.evm', ['chain_id', 'hardforks', 'accounts'])
  const evmChainId = BigInt(parseInteger(evm['chain_id'], 'app_state.evm.chain_id'))
  const known = isKnownChain(chainId) ? evmChainIdOf(chainId) : undefined
  if (evmChainId === 0n) failAt('app_state.evm.chain_id', 'must not be zero')
  if (known !== undefined && known !== evmChainId) {
    failAt('app_state.evm.chain_id', `is ${evmChainId}, but ${chainId} has the EVM chain id ${known}`)
  }
  const accounts = parseArray(evm['accounts'], EVM_ACCOUNTS, MAX_ACCOUNTS)
  const slotCount = checkContracts(accounts)
  for (const { name, parseGenesis: parse } of MODULES) parse(root[name], { checkKey: publicKeyFault })
  const provenance = parseProvenance(root['export'], {
    evm_accounts: accounts.length,
    evm_slots: slotCount,
    ...countLists(root),
  })
  return {
    evmChainId,
    hardforks: parseHardforks(evm['hardforks'], 'app_state.evm.hardforks'),
    contracts: { [Symbol.iterator]: () => parseContracts(accounts) },
    modules: root,
    provenance,
  }
}

/** app_state as InitChain brings it: JSON bytes. */
export const parseGenesisBytes = (bytes: Uint8Array, chainId: string): Genesis => {
  let parsed: unknown
  try {
    parsed = JSON.parse(bytesToUtf8(bytes))
  } catch (error) {
    throw new CodedError(
      'genesis',
      GENESIS_ERRORS.codes.syntax,
      `app_state is not valid JSON: ${(error as Error).message}`,
    )
  }
  return parseGenesis(parsed, chainId)
}

const writeContract = (state: StateWriter, { address, nonce, code, storage }: GenesisContract): void => {
  const codeHash = state.setCode(code)
  state.setAccount(address, { ...(state.account(address) ?? EMPTY_ACCOUNT), nonce, codeHash })
  for (const [slot, value] of storage) state.setStorage(address, slot, value)
}

/** Accounts that are there from the first block: system accounts, system contracts, contracts of the file. */
export const writeGenesisAccounts = (state: StateWriter, genesis: Genesis): void => {
  for (const address of SYSTEM_ADDRESSES) {
    // Nonce 1: EIP-161 would delete an empty account, and its storage with it, at the first touch.
    state.setAccount(address, { ...(state.account(address) ?? EMPTY_ACCOUNT), nonce: 1n })
  }
  const own: GenesisContract[] = [
    { address: HISTORY_STORAGE.address, nonce: 1n, code: HISTORY_STORAGE.code, storage: [] },
    { address: BEACON_ROOTS.address, nonce: 1n, code: BEACON_ROOTS.code, storage: [] },
    { address: NATIVE_TOKEN, nonce: 1n, code: NATIVE_TOKEN_CODE, storage: [] },
  ]
  for (const address of NATIVE_PRECOMPILE_ADDRESSES) {
    own.push({ address, nonce: 1n, code: PRECOMPILE_CODE, storage: [] })
  }
  for (const contract of own) writeContract(state, contract)
  for (const contract of genesis.contracts) writeContract(state, contract)
}
