/** Keys of the parameters and of deposits. The folder is the only code that touches the bridge's keys. */
import type { BridgeContract } from '../../../core/bridge-event.ts'
import { bigintToBytes, bytesToBigint, bytesToUtf8, equalBytes } from '../../../core/bytes.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import {
  decodeDecided,
  decodeOpen,
  decodeParams,
  decodeProgress,
  decodeRefused,
  encodeDecided,
  encodeOpen,
  encodeParams,
  encodeProgress,
  encodeRefused,
} from '../codec.ts'
import {
  BRIDGE_ADDRESS,
  DECIDED_PREFIX,
  FORMER_PREFIX,
  formerKey,
  idKey,
  MINTED_PREFIX,
  mintedKey,
  OPEN_PREFIX,
  PARAMS_KEY,
  PROGRESS_KEY,
  REFUSED_PREFIX,
} from '../keys.ts'
import { list, listById } from './list.ts'
import { read } from './read.ts'
import { type BridgeParams, DEFAULT_PARAMS } from '../params.ts'
import { type DecidedEvent, NO_PROGRESS, type OpenEvent, type Progress, type RefusedEvent } from '../record.ts'

/** A default is not written, so that a genesis without a word of the bridge leaves nothing in state. */
const writeUnless = (state: StateWriter, key: Uint8Array, value: Uint8Array, fallback: Uint8Array): void =>
  state.setValue(BRIDGE_ADDRESS, key, equalBytes(value, fallback) ? undefined : value)

/** A state from before the bridge has the defaults, by which nothing is bridged. */
export const readParams = (state: StateReader): BridgeParams => read(state, PARAMS_KEY, decodeParams) ?? DEFAULT_PARAMS
export const writeParams = (state: StateWriter, params: BridgeParams): void =>
  writeUnless(state, PARAMS_KEY, encodeParams(params), encodeParams(DEFAULT_PARAMS))

export const readProgress = (state: StateReader): Progress => read(state, PROGRESS_KEY, decodeProgress) ?? NO_PROGRESS
export const writeProgress = (state: StateWriter, progress: Progress): void =>
  writeUnless(state, PROGRESS_KEY, encodeProgress(progress), encodeProgress(NO_PROGRESS))

/** Empty where nobody has acknowledged anything. */
export const readOpen = (state: StateReader, id: number): OpenEvent =>
  read(state, idKey(OPEN_PREFIX, id), decodeOpen) ?? []
export const writeOpen = (state: StateWriter, id: number, open: OpenEvent): void =>
  state.setValue(BRIDGE_ADDRESS, idKey(OPEN_PREFIX, id), open.length === 0 ? undefined : encodeOpen(open))

export const readDecided = (state: StateReader, id: number): DecidedEvent | undefined =>
  read(state, idKey(DECIDED_PREFIX, id), decodeDecided)
export const writeDecided = (state: StateWriter, id: number, decided: DecidedEvent | undefined): void =>
  state.setValue(BRIDGE_ADDRESS, idKey(DECIDED_PREFIX, id), decided && encodeDecided(decided))

export const readRefused = (state: StateReader, id: number): RefusedEvent | undefined =>
  read(state, idKey(REFUSED_PREFIX, id), decodeRefused)

export const writeRefused = (state: StateWriter, id: number, refused: RefusedEvent): void =>
  state.setValue(BRIDGE_ADDRESS, idKey(REFUSED_PREFIX, id), encodeRefused(refused))

export const deleteOldestRefused = (state: StateWriter): void => {
  const [oldest] = state.values(BRIDGE_ADDRESS, REFUSED_PREFIX, 1)
  if (oldest !== undefined) state.setValue(BRIDGE_ADDRESS, oldest[0], undefined)
}

/** What was ever minted of a denomination. */
export const readMinted = (state: StateReader, denom: string): bigint =>
  read(state, mintedKey(denom), bytesToBigint) ?? 0n
export const writeMinted = (state: StateWriter, denom: string, amount: bigint): void =>
  state.setValue(BRIDGE_ADDRESS, mintedKey(denom), amount === 0n ? undefined : bigintToBytes(amount))

/** How far a contract was when another one took its place. */
export const readFormer = (state: StateReader, contract: BridgeContract): Progress | undefined =>
  read(state, formerKey(contract), decodeProgress)
/** Undefined deletes it. */
export const writeFormer = (state: StateWriter, contract: BridgeContract, progress: Progress | undefined): void =>
  state.setValue(BRIDGE_ADDRESS, formerKey(contract), progress && encodeProgress(progress))

export const listOpen = (state: StateReader, start?: number) => listById(state, OPEN_PREFIX, decodeOpen, start)
export const listDecided = (state: StateReader, start?: number) => listById(state, DECIDED_PREFIX, decodeDecided, start)
export const listRefused = (state: StateReader, start?: number) => listById(state, REFUSED_PREFIX, decodeRefused, start)

export function* listMinted(state: StateReader): Generator<readonly [denom: string, amount: bigint], void> {
  for (const [key, value] of list(state, MINTED_PREFIX)) {
    yield [bytesToUtf8(key.subarray(MINTED_PREFIX.length)), bytesToBigint(value)]
  }
}

const CHAIN_ID_BYTES = 8
export function* listFormer(state: StateReader): Generator<readonly [BridgeContract, Progress], void> {
  for (const [key, value] of list(state, FORMER_PREFIX)) {
    const at = FORMER_PREFIX.length + CHAIN_ID_BYTES
    const [chainId, address] = [bytesToBigint(key.subarray(FORMER_PREFIX.length, at)), key.slice(at)]
    yield [{ chainId, address }, decodeProgress(value)]
  }
}

/** Deletes all that is known of events of the contract. They are bounded: OPEN_WINDOW, MAX_WAITING and MAX_REFUSED. */
export const deleteEvents = (state: StateWriter): void => {
  for (const prefix of [OPEN_PREFIX, DECIDED_PREFIX, REFUSED_PREFIX]) {
    for (const [key] of [...list(state, prefix)]) state.setValue(BRIDGE_ADDRESS, key, undefined)
  }
}
