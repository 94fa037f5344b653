/** The member `slashing` of app_state, in the SDK's form. */
import { bytesToKey } from '../../core/bytes.ts'
import { type Decimal, formatDecimal, parseDecimal } from '../../core/decimal.ts'
import { failAt, parseArray, parseInteger, parseObject, parseString } from '../../core/parse.ts'
import { formatDuration, formatTime, parseDurationMember, parseTimeMember } from '../../core/time.ts'
import type { StateWriter } from '../../store/state.ts'
import type { QueryContext } from '../module.ts'
import { formatConsensusAddress, parseConsensusAddress } from '../validator-addresses.ts'
import {
  listSigningInfos,
  readParams,
  type SigningInfo,
  writeOverLimit,
  writeParams,
  writeSigningInfo,
} from './keeper/signing-info.ts'
import { listMissing, missedIndexes, setMissed } from './keeper/missed-blocks.ts'
import { DEFAULT_PARAMS, maxMissed, paramsFault, type SlashingParams } from './params.ts'
import { indexOffset } from './queries.ts'

/** Most validators that ever were bonded. */
const MAX_INFOS = 10_000_000

interface SlashingGenesis {
  readonly params: SlashingParams
  readonly infos: readonly (readonly [address: Uint8Array, SigningInfo])[]
  /** Places of missed blocks, by bytesToKey of the address. */
  readonly missed: ReadonlyMap<string, readonly number[]>
}

const PARAMS = [
  'signed_blocks_window',
  'min_signed_per_window',
  'downtime_jail_duration',
  'slash_fraction_double_sign',
  'slash_fraction_downtime',
] as const

const parseFraction = (value: unknown, path: string): Decimal => {
  const text = parseString(value, path)
  try {
    return parseDecimal(text)
  } catch (error) {
    return failAt(path, (error as Error).message)
  }
}

const parseGenesisParams = (value: unknown, path: string): SlashingParams => {
  const object = parseObject(value ?? {}, path, PARAMS)
  const member = <T>(name: (typeof PARAMS)[number], fallback: T, parse: (value: unknown, path: string) => T): T =>
    object[name] === undefined ? fallback : parse(object[name], `${path}.${name}`)
  const params: SlashingParams = {
    signedBlocksWindow: member('signed_blocks_window', DEFAULT_PARAMS.signedBlocksWindow, parseInteger),
    minSignedPerWindow: member('min_signed_per_window', DEFAULT_PARAMS.minSignedPerWindow, parseFraction),
    downtimeJailDurationNs: member(
      'downtime_jail_duration',
      DEFAULT_PARAMS.downtimeJailDurationNs,
      parseDurationMember,
    ),
    slashFractionDoubleSign: member(
      'slash_fraction_double_sign',
      DEFAULT_PARAMS.slashFractionDoubleSign,
      parseFraction,
    ),
    slashFractionDowntime: member('slash_fraction_downtime', DEFAULT_PARAMS.slashFractionDowntime, parseFraction),
  }
  const fault = paramsFault(params)
  return fault === undefined ? params : failAt(path, fault)
}

const parseAddress = (value: unknown, path: string): Uint8Array => {
  const text = parseString(value, path)
  try {
    return parseConsensusAddress(text)
  } catch (error) {
    return failAt(path, (error as Error).message)
  }
}

const INFO = ['address', 'start_height', 'index_offset', 'jailed_until', 'tombstoned', 'missed_blocks_counter'] as const

const parseInfo = (value: unknown, path: string): readonly [Uint8Array, SigningInfo] => {
  const entry = parseObject(value, path, ['address', 'validator_signing_info'])
  const at = `${path}.validator_signing_info`
  // index_offset follows from the heights.
  const info = parseObject(entry['validator_signing_info'], at, INFO)
  const tombstoned = info['tombstoned'] ?? false
  if (typeof tombstoned !== 'boolean') failAt(`${at}.tombstoned`, 'must be true or false')
  return [
    parseAddress(entry['address'], `${path}.address`),
    {
      startHeight: parseInteger(info['start_height'] ?? 0, `${at}.start_height`),
      jailedUntilNs:
        info['jailed_until'] === undefined ? 0n : parseTimeMember(info['jailed_until'], `${at}.jailed_until`),
      tombstoned: tombstoned === true,
      missedBlocks: parseInteger(info['missed_blocks_counter'] ?? 0, `${at}.missed_blocks_counter`),
    },
  ]
}

const parseMissed = (value: unknown, path: string, window: number): readonly [key: string, readonly number[]] => {
  const entry = parseObject(value, path, ['address', 'missed_blocks'])
  const indexes = new Set<number>()
  for (const [position, item] of parseArray(entry['missed_blocks'], `${path}.missed_blocks`, window).entries()) {
    const at = `${path}.missed_blocks[${position}]`
    const { index: text, missed } = parseObject(item, at, ['index', 'missed'])
    const index = parseInteger(text, `${at}.index`)
    if (index >= window) failAt(`${at}.index`, `must be below the window of ${window} blocks`)
    if (missed === true) indexes.add(index)
  }
  return [bytesToKey(parseAddress(entry['address'], `${path}.address`)), [...indexes]]
}

/** Throws genesis/1 with the member at fault. */
export const parseSlashingGenesis = (genesis: unknown, path = 'app_state.slashing'): SlashingGenesis => {
  const object = parseObject(genesis ?? {}, path, ['params', 'signing_infos', 'missed_blocks'])
  const params = parseGenesisParams(object['params'], `${path}.params`)
  const infos = parseArray(object['signing_infos'], `${path}.signing_infos`, MAX_INFOS).map((item, index) =>
    parseInfo(item, `${path}.signing_infos[${index}]`),
  )
  const missed = new Map(
    parseArray(object['missed_blocks'], `${path}.missed_blocks`, MAX_INFOS).map((item, index) =>
      parseMissed(item, `${path}.missed_blocks[${index}]`, params.signedBlocksWindow),
    ),
  )
  const known = new Set<string>()
  for (const [index, [address, { missedBlocks }]] of infos.entries()) {
    const at = `${path}.signing_infos[${index}]`
    const key = bytesToKey(address)
    if (known.has(key)) failAt(`${at}.address`, 'is there twice')
    known.add(key)
    const bits = missed.get(key)?.length ?? 0
    if (bits !== missedBlocks) failAt(`${at}.validator_signing_info.missed_blocks_counter`, `must be ${bits}`)
  }
  for (const key of missed.keys()) if (!known.has(key)) failAt(`${path}.missed_blocks`, 'has no signing info')
  return { params, infos, missed }
}

export const initSlashingGenesis = (state: StateWriter, { params, infos, missed }: SlashingGenesis): void => {
  writeParams(state, params)
  const overLimit: Uint8Array[] = []
  for (const [address, info] of infos) {
    writeSigningInfo(state, address, info)
    for (const index of missed.get(bytesToKey(address)) ?? []) setMissed(state, address, index, true)
    if (info.missedBlocks > maxMissed(params)) overLimit.push(address)
  }
  if (overLimit.length > 0) writeOverLimit(state, overLimit)
}

function* exportInfos({ state, height }: QueryContext) {
  for (const [bytes, info] of listSigningInfos(state)) {
    const address = formatConsensusAddress(bytes)
    yield {
      address,
      validator_signing_info: {
        address,
        start_height: String(info.startHeight),
        index_offset: String(indexOffset(info, height)),
        jailed_until: formatTime(info.jailedUntilNs),
        tombstoned: info.tombstoned,
        missed_blocks_counter: String(info.missedBlocks),
      },
    }
  }
}

function* exportMissed({ state }: QueryContext, window: number) {
  for (const address of listMissing(state)) {
    const missed_blocks = missedIndexes(state, address, window).map((index) => ({ index: String(index), missed: true }))
    yield { address: formatConsensusAddress(address), missed_blocks }
  }
}

/** The inverse: places of missed blocks are those of heights, so the new chain goes on at the same height. */
export const exportSlashingGenesis = (context: QueryContext) => {
  const params = readParams(context.state)
  return {
    params: {
      signed_blocks_window: String(params.signedBlocksWindow),
      min_signed_per_window: formatDecimal(params.minSignedPerWindow),
      downtime_jail_duration: formatDuration(params.downtimeJailDurationNs),
      slash_fraction_double_sign: formatDecimal(params.slashFractionDoubleSign),
      slash_fraction_downtime: formatDecimal(params.slashFractionDowntime),
    },
    signing_infos: exportInfos(context),
    missed_blocks: exportMissed(context, params.signedBlocksWindow),
  }
}
