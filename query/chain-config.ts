/** eth_config (EIP-7910): what holds at the head, with the next fork and with the last one that is planned. */
import type { Address } from '../core/address.ts'
import { bytesToHex, quantityToHex } from '../core/hex.ts'
import type { Hardfork } from '../evm/engine.ts'
import { PRECOMPILE_ADDRESSES } from '../evm/precompile-addresses.ts'
import { BEACON_ROOTS, HISTORY_STORAGE } from '../evm/system-contracts.ts'
import type { ChainParameters } from '../app/records/chain-parameters.ts'
import { prunedHistory } from '../app/errors.ts'
import type { HeaderRecord } from '../app/records/records.ts'
import { PRECOMPILES } from '../app/precompiles/index.ts'
import { forkId } from './fork-id.ts'
import { requireHeader, type ChainView } from './chain-view.ts'
import type { Json } from './ethereum-json.ts'

type Fork = ChainParameters['hardforks'][number]

/** EIP-7910's names, in the order of {@link PRECOMPILE_ADDRESSES}. */
const PRECOMPILE_NAMES = [
  ...['ECREC', 'SHA256', 'RIPEMD160', 'ID', 'MODEXP', 'BN254_ADD', 'BN254_MUL', 'BN254_PAIRING', 'BLAKE2F'],
  ...['KZG_POINT_EVALUATION', 'BLS12_G1ADD', 'BLS12_G1MSM', 'BLS12_G2ADD', 'BLS12_G2MSM', 'BLS12_PAIRING_CHECK'],
  ...['BLS12_MAP_FP_TO_G1', 'BLS12_MAP_FP2_TO_G2', 'P256VERIFY'],
]

/** Blocks hold no blobs. The fraction is Ethereum's: at no excess every fraction gives the same blob base fee, 1. */
const BLOB_SCHEDULE = {
  cancun: { target: 0, max: 0, baseFeeUpdateFraction: 3_338_477 },
  prague: { target: 0, max: 0, baseFeeUpdateFraction: 5_007_716 },
  osaka: { target: 0, max: 0, baseFeeUpdateFraction: 5_007_716 },
} as const satisfies Record<Hardfork, Json>

const byName = (entries: readonly (readonly [name: string, address: Address])[]): Json =>
  Object.fromEntries(
    [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, address]) => [name, bytesToHex(address)]),
  )

const precompilesAt = (hardfork: Hardfork): Json => {
  const ethereum = PRECOMPILE_ADDRESSES[hardfork].map(
    (address, index) => [PRECOMPILE_NAMES[index] ?? '', address] as const,
  )
  const native = PRECOMPILES.map(({ name, address }) => [name.toUpperCase(), address] as const)
  return byName([...ethereum, ...native])
}

/** Those that blocks call. Deposits, withdrawals and consolidations are matters of the native modules. */
const SYSTEM_CONTRACTS = byName([
  ['HISTORY_STORAGE_ADDRESS', HISTORY_STORAGE.address],
  ['BEACON_ROOTS_ADDRESS', BEACON_ROOTS.address],
])

const describeFork = ({ parameters }: ChainView, { header, hash }: HeaderRecord, fork: Fork): Json => {
  const passed = parameters.hardforks
    .map(({ timestamp }) => timestamp)
    .filter((timestamp) => timestamp > header.timestamp && timestamp <= fork.timestamp)
  return {
    activationTime: fork.timestamp <= header.timestamp ? 0 : fork.timestamp,
    blobSchedule: BLOB_SCHEDULE[fork.hardfork],
    chainId: quantityToHex(parameters.evmChainId),
    forkId: forkId(hash, [...new Set(passed)]),
    precompiles: precompilesAt(fork.hardfork),
    systemContracts: SYSTEM_CONTRACTS,
  }
}

/** Throws query/8 where the genesis block is not here (state sync), whose hash the fork id begins with. */
export const config = (view: ChainView): Json => {
  const { hardforks, initialHeight } = view.parameters
  const genesis = view.reader.header(initialHeight - 1)
  if (genesis === undefined) throw prunedHistory()
  const { timestamp } = requireHeader(view, view.head).header
  const current = Math.max(
    0,
    hardforks.findLastIndex((fork) => fork.timestamp <= timestamp),
  )
  const describe = (fork: Fork | undefined): Json | null =>
    fork === undefined ? null : describeFork(view, genesis, fork)
  const next = hardforks[current + 1]
  return {
    current: describe(hardforks[current]),
    next: describe(next),
    last: describe(next === undefined ? undefined : hardforks.at(-1)),
  }
}
