/** The state of a height as the app_state of a new chain's genesis, in text, piece by piece: the inverse of genesis.ts. */
import { type Address, checksumAddress } from '../../core/address.ts'
import { equalBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import { HistoricalState } from '../../store/history.ts'
import { scanAccountsAt, scanStorageAt, type StateHeight } from '../../store/scan-at.ts'
import type { AccountState } from '../../store/state.ts'
import type { Module } from '../../modules/module.ts'
import type { ChainParameters } from '../records/chain-parameters.ts'
import type { HeaderRecord } from '../records/records.ts'
import { countName } from './genesis.ts'
import { isModuleAddress } from './module-accounts.ts'
import { createModules } from './modules.ts'

export interface ExportSource extends StateHeight {
  readonly parameters: ChainParameters
  /** Record of the height that is exported. */
  readonly record: HeaderRecord
}

const isIterable = (value: object): value is Iterable<unknown> => Symbol.iterator in value

/** JSON of a value whose lists may be iterables, one item a line. */
function* jsonText(value: unknown): Generator<string, void> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield JSON.stringify(value)
    return
  }
  if (isIterable(value)) {
    yield* jsonList(value)
    return
  }
  let separator = '{'
  for (const [name, member] of Object.entries(value)) {
    yield `${separator}\n${JSON.stringify(name)}: `
    yield* jsonText(member)
    separator = ','
  }
  yield separator === '{' ? '{}' : '\n}'
}

function* jsonList(items: Iterable<unknown>): Generator<string, void> {
  let separator = '['
  for (const item of items) {
    yield `${separator}\n${JSON.stringify(item)}`
    separator = ','
  }
  yield separator === '[' ? '[]' : '\n]'
}

class EvmAccounts {
  readonly #source: ExportSource
  readonly #codes: HistoricalState
  accounts = 0
  slots = 0

  constructor(source: ExportSource, state: HistoricalState) {
    this.#source = source
    this.#codes = state
  }

  /** Those that are more than a balance, which the bank writes, and those that exist without one. */
  *list(): Generator<string, void> {
    let separator = '['
    for (const [address, account] of scanAccountsAt(this.#source)) {
      // Every genesis makes them, as they stand.
      if (isModuleAddress(address)) {
        invariant(account.nonce === 1n && equalBytes(account.codeHash, EMPTY_CODE_HASH), 'a module account was changed')
        continue
      }
      const isBalanceAlone =
        account.balance > 0n &&
        account.nonce === 0n &&
        equalBytes(account.codeHash, EMPTY_CODE_HASH) &&
        equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)
      if (isBalanceAlone) continue
      yield `${separator}\n`
      yield* this.#entry(address, account)
      this.accounts++
      separator = ','
    }
    yield separator === '[' ? '[]' : '\n]'
  }

  *#entry(address: Address, { nonce, codeHash, storageRoot }: AccountState): Generator<string, void> {
    yield `{"address":"${checksumAddress(address)}","nonce":"${nonce}"`
    if (!equalBytes(codeHash, EMPTY_CODE_HASH)) yield `,"code":"${bytesToHex(this.#codes.code(codeHash))}"`
    if (!equalBytes(storageRoot, EMPTY_TRIE_ROOT)) {
      let separator = ',"storage":{'
      for (const [slot, value] of scanStorageAt(this.#source, address)) {
        yield `${separator}"${bytesToHex(slot)}":"${bytesToHex(value)}"`
        this.slots++
        separator = ','
      }
      yield '}'
    }
    yield '}'
  }
}

/** Counts the items of a list while it is written. */
function* counted(items: Iterable<unknown>, count: () => void): Generator<unknown, void> {
  for (const item of items) {
    count()
    yield item
  }
}

/** The lists that the module wants counted are counted while they are written. */
const withCounts = (
  { name, countedLists = [] }: Module,
  genesis: Readonly<Record<string, unknown>>,
  counts: Record<string, number>,
): Readonly<Record<string, unknown>> => {
  const members = { ...genesis }
  for (const list of countedLists) {
    const items = members[list]
    const count = countName(name, list)
    counts[count] = 0
    if (typeof items !== 'object' || items === null || !isIterable(items)) continue
    members[list] = counted(items, () => void (counts[count] = (counts[count] ?? 0) + 1))
  }
  return members
}

/**
 * The text of app_state. With it, a chain whose initial height is the next one begins with an equal state root; what
 * the file says of itself comes last. The state of the height must be kept until it is written.
 */
export function* exportAppState(source: ExportSource): Generator<string, void> {
  const { store, height, committedHeight, parameters, record } = source
  const state = new HistoricalState(store, height, committedHeight)
  const evm = new EvmAccounts(source, state)
  const listCounts: Record<string, number> = {}
  try {
    const hardforks = Object.fromEntries(parameters.hardforks.map(({ hardfork, timestamp }) => [hardfork, timestamp]))
    yield `{\n"evm": {\n"chain_id": "${parameters.evmChainId}",\n"hardforks": ${JSON.stringify(hardforks)},\n"accounts": `
    yield* evm.list()
    yield '\n}'
    for (const module of createModules(store, committedHeight)) {
      yield `,\n"${module.name}": `
      const genesis = module.exportGenesis({ state, height, chainId: parameters.chainId }) as Record<string, unknown>
      yield* jsonText(withCounts(module, genesis, listCounts))
    }
  } finally {
    state.close()
  }
  const provenance = {
    height: height.toString(),
    block_hash: bytesToHex(record.hash),
    state_root: bytesToHex(record.header.stateRoot),
    evm_accounts: evm.accounts,
    evm_slots: evm.slots,
    ...listCounts,
  }
  yield ',\n"export": '
  yield* jsonText(provenance)
  yield '\n}'
}
