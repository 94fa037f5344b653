/** What owners traded, by quote denomination and day. */
import { type Address, ADDRESS_LENGTH } from '../../../core/address.ts'
import { bigintToBytes, bytesToUtf8 } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { type TradedVolume, VOLUME_DAYS } from '../domain/volume.ts'
import { CLOB_ACCOUNT, VOLUME_PREFIX, volumeKey } from '../keys.ts'
import { MAX_UINT32, RlpReader } from './rlp-reader.ts'
import { uint } from './rlp-writer.ts'
import { scanValues } from './scan.ts'

const DENOM_START = VOLUME_PREFIX.length + ADDRESS_LENGTH

const decodeVolume = (value: Uint8Array): TradedVolume => {
  const volume = RlpReader.list(value, 'volume').whole((fields) => ({
    lastDay: fields.uint(MAX_UINT32),
    sums: fields.list(VOLUME_DAYS, (sums) => sums.bigint()),
  }))
  invariant(volume.sums.length === VOLUME_DAYS, 'a volume in state has fewer than 31 days')
  return volume
}

/** Undefined where the owner never traded in that quote denomination. */
export const readVolume = (state: StateReader, owner: Address, denom: string): TradedVolume | undefined => {
  const value = state.value(CLOB_ACCOUNT, volumeKey(owner, denom))
  return value === undefined ? undefined : decodeVolume(value)
}

/** Undefined removes it. */
export const writeVolume = (
  state: StateWriter,
  owner: Address,
  denom: string,
  volume: TradedVolume | undefined,
): void => {
  invariant(volume === undefined || volume.sums.length === VOLUME_DAYS, 'a volume has 31 days')
  const value = volume === undefined ? undefined : encodeRlp([uint(volume.lastDay), volume.sums.map(bigintToBytes)])
  state.setValue(CLOB_ACCOUNT, volumeKey(owner, denom), value)
}

export interface OwnedVolume {
  readonly owner: Address
  readonly denom: string
  readonly volume: TradedVolume
}

export function* scanVolumes(state: StateReader): Generator<OwnedVolume, void> {
  for (const [key, value] of scanValues(state, VOLUME_PREFIX)) {
    invariant(key.length > DENOM_START, 'the key of a volume is damaged')
    const owner = key.slice(VOLUME_PREFIX.length, DENOM_START)
    yield { owner, denom: bytesToUtf8(key.subarray(DENOM_START)), volume: decodeVolume(value) }
  }
}
