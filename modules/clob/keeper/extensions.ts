/** What binds a height to the votes of the one before: caps of extensions, the carried list, and who stopped. */
import { bytesToKey, keyToBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { encodeRlp, type RlpInput } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import type { ProposerRecord } from '../domain/proposer.ts'
import { CAPS_KEY, CARRIED_KEY, CLOB_ACCOUNT, PROPOSER_PREFIX, proposerKey } from '../keys.ts'
import { PHASES } from '../orders/clob-tx.ts'
import { MAX_AGE } from '../plan/run-plan.ts'
import type { ListedId } from '../plan/types.ts'
import { RlpReader } from './rlp-reader.ts'
import { uint } from './rlp-writer.ts'
import { scanValues } from './scan.ts'

export interface HeightCap {
  readonly height: number
  /** The most bytes of an extension of that height. */
  readonly capBytes: number
}

export const MAX_CAPS = 4
export const MAX_CAP_BYTES = 131_072
/** An id takes over a third of the power, and an extension holds at most 10,082: below three times as many a block pass. */
export const MAX_CARRIED = 3 * 3 * 10_082
const ID_LENGTH = 12
const SALT_LENGTH = 32
const CONSENSUS_ADDRESS_LENGTH = 20

/** The caps by height. */
export const readCaps = (state: StateReader): readonly HeightCap[] => {
  const value = state.value(CLOB_ACCOUNT, CAPS_KEY)
  if (value === undefined) return []
  return RlpReader.list(value, 'list of caps').rest(MAX_CAPS, (list) =>
    list.record((fields) => ({ height: fields.uint(Number.MAX_SAFE_INTEGER), capBytes: fields.uint(MAX_CAP_BYTES) })),
  )
}

export const writeCaps = (state: StateWriter, caps: readonly HeightCap[]): void => {
  const items = caps.map(({ height, capBytes }) => [uint(height), uint(capBytes)])
  state.setValue(CLOB_ACCOUNT, CAPS_KEY, items.length === 0 ? undefined : encodeRlp(items))
}

/** Ids that one block attested: they share a salt. */
const groupItems = (carried: readonly ListedId[]): RlpInput[] => {
  const groups: RlpInput[] = []
  for (let at = 0; at < carried.length; ) {
    const { age, salt } = carried[at] as ListedId
    const ids: RlpInput[] = []
    const saltKey = bytesToKey(salt)
    for (let listed = carried[at]; listed !== undefined; listed = carried[++at]) {
      if (listed.age !== age || bytesToKey(listed.salt) !== saltKey) break
      ids.push([uint(listed.phase), uint(listed.isWidelyAttested ? 1 : 0), keyToBytes(listed.id)])
    }
    groups.push([uint(age), salt, ids])
  }
  return groups
}

const readGroup = (fields: RlpReader): readonly ListedId[] => {
  const age = fields.uint(MAX_AGE)
  const salt = fields.bytes(SALT_LENGTH)
  return fields.list(MAX_CARRIED, (ids) =>
    ids.record((listed): ListedId => {
      const phase = PHASES[listed.uint(PHASES.length - 1)]
      invariant(phase !== undefined, 'a carried id has a phase that does not exist')
      return {
        phase,
        isWidelyAttested: listed.boolean(),
        id: bytesToKey(listed.bytes(ID_LENGTH)),
        salt,
        age,
      }
    }),
  )
}

/**
 * A proposer that stops at the first of 18,000 ids makes a list that takes 45 ms to decode, and whoever proposes, judges, votes and
 * commits asks for it. State hands out the same bytes as long as they are the same, and nobody changes them.
 */
const decodedLists = new WeakMap<Uint8Array, readonly ListedId[]>()

/** The carried ids in list order: the oldest first. */
export const readCarried = (state: StateReader): readonly ListedId[] => {
  const value = state.value(CLOB_ACCOUNT, CARRIED_KEY)
  if (value === undefined) return []
  const known = decodedLists.get(value)
  if (known !== undefined) return known
  const carried = decodeCarried(value)
  decodedLists.set(value, carried)
  return carried
}

const decodeCarried = (value: Uint8Array): readonly ListedId[] => {
  const groups = RlpReader.list(value, 'carried list').rest(MAX_AGE, (list) => list.record(readGroup))
  const carried = groups.flat()
  invariant(carried.length <= MAX_CARRIED, 'the carried list in state is too long')
  return carried
}

export const writeCarried = (state: StateWriter, carried: readonly ListedId[]): void =>
  state.setValue(CLOB_ACCOUNT, CARRIED_KEY, carried.length === 0 ? undefined : encodeRlp(groupItems(carried)))

const NO_STOPS: ProposerRecord = { stops: 0, missingButWidelyAttested: 0 }

const decodeProposer = (value: Uint8Array): ProposerRecord =>
  RlpReader.list(value, 'record of a proposer').whole((fields) => ({
    stops: fields.uint(Number.MAX_SAFE_INTEGER),
    missingButWidelyAttested: fields.uint(Number.MAX_SAFE_INTEGER),
  }))

/** The record by the validator's consensus address. */
export const readProposer = (state: StateReader, address: Uint8Array): ProposerRecord => {
  const value = state.value(CLOB_ACCOUNT, proposerKey(address))
  return value === undefined ? NO_STOPS : decodeProposer(value)
}

export const writeProposer = (state: StateWriter, address: Uint8Array, record: ProposerRecord): void => {
  invariant(address.length === CONSENSUS_ADDRESS_LENGTH, 'the address of a proposer has 20 bytes')
  const value = encodeRlp([uint(record.stops), uint(record.missingButWidelyAttested)])
  state.setValue(CLOB_ACCOUNT, proposerKey(address), record.stops === 0 ? undefined : value)
}

/** All that ever stopped, by address. */
export function* scanProposers(state: StateReader): Generator<readonly [address: Uint8Array, ProposerRecord], void> {
  for (const [key, value] of scanValues(state, PROPOSER_PREFIX)) {
    invariant(key.length === PROPOSER_PREFIX.length + CONSENSUS_ADDRESS_LENGTH, 'the key of a proposer is damaged')
    yield [key.slice(PROPOSER_PREFIX.length), decodeProposer(value)]
  }
}
