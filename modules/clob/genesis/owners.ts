/** Accounts, agents, nonces, marks and volumes of the genesis. */
import { parseAccountAddress } from '../../../core/bech32.ts'
import { bytesToKey, concatBytes, uint64ToBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { isDenom } from '../../../core/denom.ts'
import { failAt } from '../../../core/parse.ts'
import { type clob, clobGenesis } from '../../../proto/index.ts'
import { type ClobAccount, type Floor, type Mark, MAX_AGENTS, MAX_FLOORS } from '../domain/account.ts'
import { checkAgent } from '../domain/agent-rules.ts'
import { BOTH_SIDES, namesOf, SIDE_CODES } from '../domain/codes.ts'
import type { Side } from '../domain/order.ts'
import { VOLUME_DAYS } from '../domain/volume.ts'
import {
  MAX_BLOCK_MARKS,
  MAX_BLOCK_NONCES,
  type OwnedAccount,
  type OwnedAgent,
  type OwnedVolume,
  type UsedNonce,
} from '../keeper/index.ts'
import { checkLength, type ListForm, parseList, toNumber } from './fields.ts'

/** Most owners, agents and volumes in a genesis file. */
const MAX_OWNERS = 10_000_000
/** Heights of which nonces and marks are kept, and some more. */
const MAX_HEIGHTS = 64
const MAX_CLIENT_ID_BYTES = 16
/** A sum of notional: a block has no more than some thousand fills of less than 2^127. */
const SUM = /^(?:0|[1-9][0-9]{0,76})$/

const SIDE_NAMES = namesOf(SIDE_CODES)

const parseSide = (side: number, path: string): Side | undefined =>
  side === BOTH_SIDES ? undefined : (SIDE_NAMES[side] ?? failAt(path, `${side} is no side`))

const parseFloor = ({ subaccount, market, side, nextSeq }: clob.Floor, path: string): Floor => ({
  subaccount,
  market,
  side: parseSide(side, `${path}.side`),
  nextSeq: toNumber(nextSeq, `${path}.next_seq`),
})

const parseAccount = ({ openOrders, switchMs, floors }: clob.Account, path: string): ClobAccount => {
  if (floors.length > MAX_FLOORS)
    failAt(`${path}.floors`, `has ${floors.length} entries, at most ${MAX_FLOORS} are allowed`)
  const account = {
    openOrders,
    switchMs: toNumber(switchMs, `${path}.switch_ms`),
    floors: floors.map((floor, index) => parseFloor(floor, `${path}.floors[${index}]`)),
  }
  const isEmpty = openOrders === 0 && account.switchMs === 0 && floors.length === 0
  return isEmpty ? failAt(path, 'says nothing') : account
}

export const ACCOUNTS: ListForm<typeof clobGenesis.GenesisAccountSchema, OwnedAccount> = {
  schema: clobGenesis.GenesisAccountSchema,
  most: MAX_OWNERS,
  parse: ({ owner, account }, path) => {
    if (account === undefined) return failAt(`${path}.account`, 'is missing')
    return { owner: parseAccountAddress(owner), account: parseAccount(account, `${path}.account`) }
  },
  keyOf: ({ owner }) => owner,
}

const AGENTS: ListForm<typeof clobGenesis.GenesisAgentSchema, OwnedAgent> = {
  schema: clobGenesis.GenesisAgentSchema,
  most: MAX_OWNERS,
  parse: ({ owner: ownerText, agent }, path) => {
    if (agent === undefined) return failAt(`${path}.agent`, 'is missing')
    const { address: addressText, name, expireS: expire, markets } = agent
    const [owner, address] = [parseAccountAddress(ownerText), parseAccountAddress(addressText)]
    const expireS = toNumber(expire, `${path}.agent.expire_s`)
    if (expireS === 0) failAt(`${path}.agent.expire_s`, 'must be positive')
    const parsed = { name, expireS, markets }
    checkAgent(owner, address, parsed)
    return { owner, address, agent: parsed }
  },
  keyOf: ({ owner, address }) => concatBytes(owner, address),
}

/** Throws genesis/1 with the member at fault. */
export const parseAgents = (value: unknown, path: string): readonly OwnedAgent[] => {
  const agents = parseList(value, path, AGENTS)
  const counts = new Map<string, number>()
  for (const [index, { owner }] of agents.entries()) {
    const count = (counts.get(bytesToKey(owner)) ?? 0) + 1
    if (count > MAX_AGENTS) failAt(`${path}[${index}]`, `is one of more than ${MAX_AGENTS} agents of its owner`)
    counts.set(bytesToKey(owner), count)
  }
  return agents
}

export interface HeightNonces {
  readonly height: number
  readonly nonces: readonly UsedNonce[]
}

const checkCount = (count: number, path: string, most: number): void => {
  if (count === 0) failAt(path, 'must not be empty')
  if (count > most) failAt(path, `has ${count} entries, at most ${most} are allowed`)
}

export const NONCES: ListForm<typeof clobGenesis.GenesisNoncesSchema, HeightNonces> = {
  schema: clobGenesis.GenesisNoncesSchema,
  most: MAX_HEIGHTS,
  parse: ({ height, nonces }, path) => {
    checkCount(nonces.length, `${path}.nonces`, MAX_BLOCK_NONCES)
    return {
      height: toNumber(height, `${path}.height`),
      nonces: nonces.map(({ signer, nonceMs }) => ({
        signer: parseAccountAddress(signer),
        nonceMs: toNumber(nonceMs, `${path}.nonces`),
      })),
    }
  },
  keyOf: ({ height }) => uint64ToBytes(height),
}

export interface HeightMarks {
  readonly height: number
  readonly marks: readonly Mark[]
}

const parseMark = (mark: clobGenesis.Mark, path: string): Mark => ({
  owner: parseAccountAddress(mark.owner),
  subaccount: mark.subaccount,
  market: mark.market,
  side: parseSide(mark.side, `${path}.side`),
  clientId: checkLength(mark.clientId, `${path}.client_id`, 0, MAX_CLIENT_ID_BYTES),
  nonceMs: toNumber(mark.nonceMs, `${path}.nonce_ms`),
  goodTilBlock: toNumber(mark.goodTilBlock, `${path}.good_til_block`),
})

export const MARKS: ListForm<typeof clobGenesis.GenesisMarksSchema, HeightMarks> = {
  schema: clobGenesis.GenesisMarksSchema,
  most: MAX_HEIGHTS,
  parse: ({ height, marks }, path) => {
    checkCount(marks.length, `${path}.marks`, MAX_BLOCK_MARKS)
    return {
      height: toNumber(height, `${path}.height`),
      marks: marks.map((mark, index) => parseMark(mark, `${path}.marks[${index}]`)),
    }
  },
  keyOf: ({ height }) => uint64ToBytes(height),
}

export const VOLUMES: ListForm<typeof clobGenesis.GenesisVolumeSchema, OwnedVolume> = {
  schema: clobGenesis.GenesisVolumeSchema,
  most: MAX_OWNERS,
  parse: ({ owner, denom, lastDay, sums }, path) => {
    if (!isDenom(denom)) failAt(`${path}.denom`, `${denom.slice(0, 128)} is no denomination`)
    if (sums.length !== VOLUME_DAYS || !sums.every((sum) => SUM.test(sum))) {
      failAt(`${path}.sums`, `must be ${VOLUME_DAYS} integers of at most 77 digits`)
    }
    return { owner: parseAccountAddress(owner), denom, volume: { lastDay, sums: sums.map(BigInt) } }
  },
  keyOf: ({ owner, denom }) => concatBytes(owner, utf8ToBytes(denom)),
}
