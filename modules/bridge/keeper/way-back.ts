/** Keys of the way back. */
import type { BridgeContract } from '../../../core/bridge-event.ts'
import { bigintToBytes, bytesToBigint, bytesToUtf8 } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import type { CompleteNodes } from '../../../core/withdrawal-tree.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import {
  BRIDGE_ADDRESS,
  bridgeKeyKey,
  BURNED_PREFIX,
  burnedKey,
  idKey,
  KEY_PREFIX,
  keyOwnerKey,
  nodeKey,
  ofContract,
  ROOTS_PREFIX,
  SET_PREFIX,
  UNHEARD_KEY,
  WAY_BACK_PREFIX,
  WITHDRAWAL_PREFIX,
} from '../keys.ts'
import {
  decodeRoots,
  decodeSet,
  decodeUnheard,
  decodeWayBack,
  decodeWithdrawal,
  encodeRoots,
  encodeSet,
  encodeUnheard,
  encodeWayBack,
  encodeWithdrawal,
} from '../way-back-codec.ts'
import type { Unheard } from '../unheard.ts'
import { NO_WAY_BACK, type Roots, type StoredSet, type StoredWithdrawal, type WayBack } from '../way-back-record.ts'
import { list, listById } from './list.ts'
import { read } from './read.ts'

const itself = (value: Uint8Array): Uint8Array => value

/** Reads what withdrawals ever burned of a denomination. */
export const readBurned = (state: StateReader, denom: string): bigint =>
  read(state, burnedKey(denom), bytesToBigint) ?? 0n
export const writeBurned = (state: StateWriter, denom: string, amount: bigint): void =>
  state.setValue(BRIDGE_ADDRESS, burnedKey(denom), amount === 0n ? undefined : bigintToBytes(amount))

export function* listBurned(state: StateReader): Generator<readonly [denom: string, amount: bigint], void> {
  for (const [key, value] of list(state, BURNED_PREFIX)) {
    yield [bytesToUtf8(key.subarray(BURNED_PREFIX.length)), bytesToBigint(value)]
  }
}

/** Reads the address of a validator's key of the bridge. */
export const readBridgeKey = (state: StateReader, validator: Uint8Array): Uint8Array | undefined =>
  read(state, bridgeKeyKey(validator), itself)

/** The validator that has a key. */
export const readKeyOwner = (state: StateReader, address: Uint8Array): Uint8Array | undefined =>
  read(state, keyOwnerKey(address), itself)

/** Undefined takes the key of the validator away. */
export const writeBridgeKey = (state: StateWriter, validator: Uint8Array, address: Uint8Array | undefined): void => {
  const before = readBridgeKey(state, validator)
  if (before !== undefined) state.setValue(BRIDGE_ADDRESS, keyOwnerKey(before), undefined)
  state.setValue(BRIDGE_ADDRESS, bridgeKeyKey(validator), address)
  if (address !== undefined) state.setValue(BRIDGE_ADDRESS, keyOwnerKey(address), validator)
}

/** Lists keys from the validator `start` (inclusive) on. */
export function* listBridgeKeys(
  state: StateReader,
  start?: Uint8Array,
): Generator<readonly [validator: Uint8Array, address: Uint8Array], void> {
  const first = start === undefined ? KEY_PREFIX : bridgeKeyKey(start)
  for (const [key, address] of list(state, KEY_PREFIX, first)) yield [key.slice(KEY_PREFIX.length), address]
}

export const readWayBack = (state: StateReader, contract: BridgeContract): WayBack =>
  read(state, ofContract(WAY_BACK_PREFIX, contract), decodeWayBack) ?? NO_WAY_BACK
export const writeWayBack = (state: StateWriter, contract: BridgeContract, wayBack: WayBack): void =>
  state.setValue(BRIDGE_ADDRESS, ofContract(WAY_BACK_PREFIX, contract), encodeWayBack(wayBack))

const CHAIN_ID_BYTES = 8

export function* listWayBack(state: StateReader): Generator<readonly [BridgeContract, WayBack], void> {
  for (const [key, value] of list(state, WAY_BACK_PREFIX)) {
    const at = WAY_BACK_PREFIX.length + CHAIN_ID_BYTES
    const contract = { chainId: bytesToBigint(key.subarray(WAY_BACK_PREFIX.length, at)), address: key.slice(at) }
    yield [contract, decodeWayBack(value)]
  }
}

export const readWithdrawal = (
  state: StateReader,
  contract: BridgeContract,
  id: number,
): StoredWithdrawal | undefined => read(state, idKey(ofContract(WITHDRAWAL_PREFIX, contract), id), decodeWithdrawal)
export const writeWithdrawal = (
  state: StateWriter,
  contract: BridgeContract,
  id: number,
  withdrawal: StoredWithdrawal,
): void =>
  state.setValue(BRIDGE_ADDRESS, idKey(ofContract(WITHDRAWAL_PREFIX, contract), id), encodeWithdrawal(withdrawal))

/** Lists withdrawals from the id `start` (inclusive) on. */
export const listWithdrawals = (state: StateReader, contract: BridgeContract, start?: number) =>
  listById(state, ofContract(WITHDRAWAL_PREFIX, contract), decodeWithdrawal, start)

export const writeNode = (
  state: StateWriter,
  contract: BridgeContract,
  { level, index, node }: { readonly level: number; readonly index: number; readonly node: Uint8Array },
): void => state.setValue(BRIDGE_ADDRESS, nodeKey(contract, level, index), node)

/** The complete nodes of the tree of a contract's withdrawals. */
export const nodesOf =
  (state: StateReader, contract: BridgeContract): CompleteNodes =>
  (level, index) => {
    const node = read(state, nodeKey(contract, level, index), itself)
    invariant(node !== undefined, `node ${index} of level ${level} of the tree of withdrawals is missing`)
    return node
  }

export const readSet = (state: StateReader, contract: BridgeContract, nonce: number): StoredSet | undefined =>
  read(state, idKey(ofContract(SET_PREFIX, contract), nonce), decodeSet)
export const writeSet = (state: StateWriter, contract: BridgeContract, set: StoredSet): void =>
  state.setValue(BRIDGE_ADDRESS, idKey(ofContract(SET_PREFIX, contract), set.nonce), encodeSet(set))

export const listSets = (state: StateReader, contract: BridgeContract) =>
  listById(state, ofContract(SET_PREFIX, contract), decodeSet)

const NO_ROOTS: Roots = { pending: undefined, signed: undefined }

export const readRoots = (state: StateReader, contract: BridgeContract): Roots =>
  read(state, ofContract(ROOTS_PREFIX, contract), decodeRoots) ?? NO_ROOTS
export const writeRoots = (state: StateWriter, contract: BridgeContract, roots: Roots): void =>
  state.setValue(BRIDGE_ADDRESS, ofContract(ROOTS_PREFIX, contract), encodeRoots(roots))

/** Validators whose signatures are not looked at now, or were not until lately. */
export const readUnheard = (state: StateReader): readonly Unheard[] => read(state, UNHEARD_KEY, decodeUnheard) ?? []
export const writeUnheard = (state: StateWriter, unheard: readonly Unheard[]): void =>
  state.setValue(BRIDGE_ADDRESS, UNHEARD_KEY, unheard.length === 0 ? undefined : encodeUnheard(unheard))
