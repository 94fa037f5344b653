/** Caps, carried ids and stops of proposers of the genesis. */
import { bytesToKey, uint64ToBytes } from '../../../core/bytes.ts'
import { failAt } from '../../../core/parse.ts'
import { clob, clobGenesis } from '../../../proto/index.ts'
import { parseConsensusAddress } from '../../validator-addresses.ts'
import type { ProposerRecord } from '../domain/proposer.ts'
import { type HeightCap, MAX_CAP_BYTES, MAX_CAPS, MAX_CARRIED } from '../keeper/index.ts'
import { PHASES } from '../orders/clob-tx.ts'
import { MAX_AGE } from '../plan/index.ts'
import type { ListedId } from '../plan/types.ts'
import { checkLength, checkRange, type ListForm, toNumber } from './fields.ts'

const SALT_BYTES = 32
const ID_BYTES = 12
/** Whoever was ever a validator. */
const MAX_PROPOSERS = 1_000_000

export const CAPS: ListForm<typeof clob.CapSchema, HeightCap> = {
  schema: clob.CapSchema,
  most: MAX_CAPS,
  parse: ({ height, capBytes }, path) => ({
    height: toNumber(height, `${path}.height`),
    capBytes: checkRange(capBytes, `${path}.cap_bytes`, 1, MAX_CAP_BYTES),
  }),
  keyOf: ({ height }) => uint64ToBytes(height),
}

const parseId = (
  { phase: number, widelyAttested, id }: clob.CarriedId,
  age: number,
  salt: Uint8Array,
  path: string,
): ListedId => {
  const phase = PHASES[number]
  if (phase === undefined) return failAt(`${path}.phase`, `${number} is no phase`)
  return { phase, isWidelyAttested: widelyAttested, id: bytesToKey(checkLength(id, `${path}.id`, ID_BYTES)), age, salt }
}

/** The oldest come first, and one block attested those of an age. */
export const CARRIED: ListForm<typeof clob.CarriedIdsSchema, readonly ListedId[]> = {
  schema: clob.CarriedIdsSchema,
  most: MAX_AGE,
  parse: ({ age, salt, ids }, path) => {
    checkRange(age, `${path}.age`, 1, MAX_AGE)
    checkLength(salt, `${path}.salt`, SALT_BYTES)
    checkRange(ids.length, `${path}.ids`, 1, MAX_CARRIED)
    return ids.map((id, index) => parseId(id, age, salt, `${path}.ids[${index}]`))
  },
  keyOf: ([first]) => Uint8Array.of(MAX_AGE - (first?.age ?? 0) + 1),
}

export interface GenesisProposer {
  readonly address: Uint8Array
  readonly record: ProposerRecord
}

export const PROPOSERS: ListForm<typeof clobGenesis.GenesisProposerSchema, GenesisProposer> = {
  schema: clobGenesis.GenesisProposerSchema,
  most: MAX_PROPOSERS,
  parse: ({ address, record }, path) => {
    if (record === undefined) return failAt(`${path}.record`, 'is missing')
    const stops = toNumber(record.stops, `${path}.record.stops`)
    return {
      address: parseConsensusAddress(address),
      record: {
        stops: checkRange(stops, `${path}.record.stops`, 1, Number.MAX_SAFE_INTEGER),
        missingButWidelyAttested: toNumber(
          record.missingButWidelyAttested,
          `${path}.record.missing_but_widely_attested`,
          stops,
        ),
      },
    }
  },
  keyOf: ({ address }) => address,
}
