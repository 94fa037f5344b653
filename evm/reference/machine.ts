/** One instance of the library's EVM for one fork and chain, run over one state at a time. */
import { createCustomCommon, type Common, Mainnet } from '@ethereumjs/common'
import { createEVM, type EVM, type EVMResult } from '@ethereumjs/evm'
import { Address as LibraryAddress } from '@ethereumjs/util'
import type { Address } from '../../core/address.ts'
import { bytesToUnprefixedHex } from '../../core/hex.ts'
import { ZERO_HASH } from '../../core/hash.ts'
import { keyToBytes } from '../../core/bytes.ts'
import type { StateWriter } from '../../store/state.ts'
import type { BlockEnvironment, Hardfork, PrecompileMove } from '../engine.ts'
import type { NativePrecompiles } from '../native-precompiles.ts'
import { PRECOMPILE_ADDRESSES } from '../precompile-addresses.ts'
import { loadPrecompiles, type PrecompileTable } from '../precompiles/table.ts'
import type { AccessListEntry } from '../transaction/transaction.ts'
import { isEmptyAccount } from '../transition/fees.ts'
import { customCrypto } from './crypto.ts'
import { loadCurves } from './curves.ts'
import { NativeFrames } from './native-precompiles.ts'
import { EthereumjsState } from './state-adapter.ts'

/** No EIP of the library has a larger number. */
const MAX_EIP = 10_000

type LibraryBlock = NonNullable<Parameters<EVM['runCall']>[0]['block']>

/** What a frame of depth 0 needs. */
export interface TopFrame {
  readonly caller: Address
  readonly to: Address | undefined
  readonly gasLimit: bigint
  readonly gasPrice: bigint
  readonly value: bigint
  readonly data: Uint8Array
  readonly blobVersionedHashes: readonly Uint8Array[]
}

const toLibraryBlock = (block: BlockEnvironment): LibraryBlock => ({
  header: {
    number: BigInt(block.number),
    coinbase: new LibraryAddress(block.coinbase),
    timestamp: BigInt(block.timestamp),
    difficulty: 0n,
    prevRandao: block.prevRandao,
    gasLimit: block.gasLimit,
    baseFeePerGas: block.baseFeePerGas,
    slotNumber: 0n,
    getBlobGasPrice: () => BigInt.asUintN(256, block.blobBaseFee),
  },
})

const unprefixed = bytesToUnprefixedHex

export class Machine {
  readonly evm: EVM
  /** The interpreter's: what calls cost, and geth's words for what is refused. */
  readonly table: PrecompileTable
  readonly state: EthereumjsState
  readonly #precompiles: readonly string[]
  readonly #unmoved: EVM['precompiles']
  readonly #native: NativeFrames
  #block: BlockEnvironment | undefined
  #libraryBlock: LibraryBlock | undefined

  constructor(evm: EVM, table: PrecompileTable, state: EthereumjsState, hardfork: Hardfork) {
    this.evm = evm
    this.table = table
    this.state = state
    this.#unmoved = evm.precompiles
    this.#native = new NativeFrames(evm, state)
    this.#precompiles = PRECOMPILE_ADDRESSES[hardfork].map(unprefixed)
    // The library asks for hashes of the last 256 blocks only.
    evm.blockchain.getBlock = (number: number) =>
      Promise.resolve({ hash: () => this.#block?.blockHash(number) ?? ZERO_HASH })
  }

  begin(state: StateWriter, block: BlockEnvironment, native?: NativePrecompiles): void {
    this.state.attach(state)
    const own = this.#native.begin(native)
    const precompiles = new Map(this.#unmoved)
    for (const [hex, run] of own) precompiles.set(hex, run)
    this.evm['_precompiles'] = precompiles
    if (this.#block !== block) {
      this.#block = block
      this.#libraryBlock = toLibraryBlock(block)
    }
    this.evm.journal.cleanJournal()
    this.evm.transientStorage.clear()
    for (const hex of this.#precompiles) this.evm.journal.addAlwaysWarmAddress(hex)
    for (const hex of own.keys()) this.evm.journal.addAlwaysWarmAddress(hex)
  }

  end(): void {
    this.state.detach()
    this.evm['_precompiles'] = this.#unmoved
  }

  /** Moves them until the end of this execution; what is warm stays so. */
  movePrecompiles(moves: readonly PrecompileMove[]): void {
    const moved = new Map(this.evm.precompiles)
    for (const { from, to } of moves) {
      const code = moved.get(unprefixed(from))
      if (to !== undefined && code !== undefined) moved.set(unprefixed(to), code)
      moved.delete(unprefixed(from))
    }
    this.evm['_precompiles'] = moved
  }

  warm(address: Address): void {
    this.evm.journal.addAlwaysWarmAddress(unprefixed(address))
  }

  warmAccessList(list: readonly AccessListEntry[]): void {
    for (const { address, storageKeys } of list) {
      this.warm(address)
      for (const slot of storageKeys) this.evm.journal.addAlwaysWarmSlot(unprefixed(address), unprefixed(slot))
    }
  }

  /** Runs the outermost frame. Its caller's nonce has been raised. */
  run(frame: TopFrame): Promise<EVMResult> {
    const caller = new LibraryAddress(frame.caller)
    return this.evm.runCall({
      ...(this.#libraryBlock === undefined ? {} : { block: this.#libraryBlock }),
      gasPrice: frame.gasPrice,
      origin: caller,
      caller,
      gasLimit: frame.gasLimit,
      ...(frame.to === undefined ? {} : { to: new LibraryAddress(frame.to) }),
      value: frame.value,
      data: frame.data,
      blobVersionedHashes: frame.blobVersionedHashes.map((hash): `0x${string}` => `0x${unprefixed(hash)}`),
      skipNonceIncrement: true,
      depth: 0,
    })
  }

  /** Deletes the accounts that were touched and are empty (EIP-161). */
  sweepTouched(state: StateWriter): void {
    for (const hex of this.evm.journal['touched']) {
      const address = keyToBytes(Buffer.from(hex, 'hex').toString('latin1'))
      const account = state.account(address)
      if (account !== undefined && isEmptyAccount(account)) state.setAccount(address, undefined)
    }
  }
}

/** The library searches a list of EIPs at every instruction: a fifth of its time, saved by a table. */
const tabulateEips = (common: Common): void => {
  const active = Uint8Array.from({ length: MAX_EIP }, (_, eip) => (common.isActivatedEIP(eip) ? 1 : 0))
  common.isActivatedEIP = (eip) => active[eip] === 1
}

/** Makes the library's EVM. Without a state it serves for its precompiles alone, in tests. */
export const createLibraryEvm = async (
  hardfork: Hardfork,
  chainId: bigint,
  state?: EthereumjsState,
): Promise<{ readonly evm: EVM; readonly common: Common }> => {
  const chain = { chainId: chainId.toString(), name: `chain-${chainId}` }
  const common = createCustomCommon(chain, Mainnet, { hardfork, customCrypto })
  tabulateEips(common)
  const { bls, bn254 } = await loadCurves()
  const evm = await createEVM({ common, bls, bn254, ...(state === undefined ? {} : { stateManager: state }) })
  return { evm, common }
}

export const createMachine = async (hardfork: Hardfork, chainId: bigint): Promise<Machine> => {
  const state = new EthereumjsState()
  const { evm } = await createLibraryEvm(hardfork, chainId, state)
  return new Machine(evm, (await loadPrecompiles())[hardfork], state, hardfork)
}
