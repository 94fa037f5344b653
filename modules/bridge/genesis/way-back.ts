/** The way back in the member `bridge` of app_state. Withdrawals have their leaves written anew: the tree is made of them. */
import { encodeBech32, parseAccountAddress } from '../../../core/bech32.ts'
import { BRIDGE_SIGNATURE_BYTES } from '../../../core/bridge-signature.ts'
import type { BridgeContract } from '../../../core/bridge-event.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { failAt, parseAmount, parseArray, parseInteger, parseObject, parseString } from '../../../core/parse.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { formatConsensusAddress, parseConsensusAddress } from '../../validator-addresses.ts'
import {
  listBridgeKeys,
  listBurned,
  listSets,
  listWayBack,
  listWithdrawals,
  readRoots,
  readUnheard,
  readWayBack,
  writeBridgeKey,
  writeBurned,
  writeRoots,
  writeSet,
  writeUnheard,
  writeWayBack,
} from '../keeper/index.ts'
import { appendWithdrawal } from '../withdraw.ts'
import {
  MAX_MEMBERS,
  type Member,
  type MemberSignatures,
  NO_WAY_BACK,
  type Roots,
  type StoredRoot,
  type StoredSet,
  type StoredWithdrawal,
  type WayBack,
} from '../way-back-record.ts'
import { MAX_UNHEARD, type Unheard } from '../unheard.ts'
import { requireSets, requireSignedHere } from './check-way-back.ts'
import { at, bytesAt, contractAt, idAt } from './fields.ts'

type OfContract<Value> = readonly (readonly [BridgeContract, Value])[]

export interface WayBackGenesis {
  readonly burned: readonly (readonly [denom: string, amount: bigint])[]
  readonly keys: readonly (readonly [validator: Uint8Array, address: Uint8Array])[]
  readonly wayBack: OfContract<WayBack & Roots>
  readonly withdrawals: OfContract<readonly [id: number, withdrawal: StoredWithdrawal]>
  readonly sets: OfContract<StoredSet>
  readonly unheard: readonly Unheard[]
}

/** Members of the genesis that are of the way back. */
export const WAY_BACK_MEMBERS = ['burned', 'keys', 'way_back', 'withdrawals', 'signing_sets', 'unheard'] as const

const MAX_KEYS = 100_000
const MAX_CONTRACTS = 10_000
const MAX_LISTED = 100_000_000
const HASH_BYTES = 32
const ADDRESS_BYTES = 20
const CONTRACT = ['chain_id', 'contract'] as const

const validatorAt = (value: unknown, path: string): Uint8Array =>
  at(path, () => parseConsensusAddress(parseString(value, path)))

const parseSignatures = (value: unknown, path: string): MemberSignatures => {
  const seen = new Set<number>()
  return new Map(
    parseArray(value, path, MAX_MEMBERS).map((each, index) => {
      const place = `${path}[${index}]`
      const object = parseObject(each, place, ['member', 'signature'])
      const member = parseInteger(object['member'], `${place}.member`)
      if (member >= MAX_MEMBERS) failAt(`${place}.member`, `must be below ${MAX_MEMBERS}`)
      if (seen.has(member)) failAt(`${place}.member`, `is ${member}, whose signature stands before it`)
      seen.add(member)
      return [member, bytesAt(object['signature'], `${place}.signature`, BRIDGE_SIGNATURE_BYTES)]
    }),
  )
}

const parseRoot = (value: unknown, path: string): StoredRoot | undefined => {
  if (value === undefined) return undefined
  const object = parseObject(value, path, ['root', 'size', 'nonce', 'signatures'])
  return {
    root: bytesAt(object['root'], `${path}.root`, HASH_BYTES),
    size: idAt(object['size'], `${path}.size`),
    nonce: idAt(object['nonce'], `${path}.nonce`),
    signatures: parseSignatures(object['signatures'], `${path}.signatures`),
  }
}

const parseBurned = (value: unknown, path: string): readonly [string, bigint] => {
  const object = parseObject(value, path, ['denom', 'amount'])
  return [parseString(object['denom'], `${path}.denom`), parseAmount(object['amount'], `${path}.amount`)]
}

const parseKey = (value: unknown, path: string): readonly [Uint8Array, Uint8Array] => {
  const object = parseObject(value, path, ['validator', 'address'])
  const address = bytesAt(object['address'], `${path}.address`, ADDRESS_BYTES)
  return [validatorAt(object['validator'], `${path}.validator`), address]
}

const WAY_BACK = ['held', 'day', 'day_amount', 'height', 'in_block', 'set_nonce', 'pending', 'signed'] as const

const parseWayBack = (value: unknown, path: string): readonly [BridgeContract, WayBack & Roots] => {
  const object = parseObject(value, path, [...CONTRACT, ...WAY_BACK])
  const wayBack = {
    ...NO_WAY_BACK,
    held: parseAmount(object['held'], `${path}.held`),
    day: parseInteger(object['day'], `${path}.day`),
    dayAmount: parseAmount(object['day_amount'], `${path}.day_amount`),
    height: parseInteger(object['height'] ?? 0, `${path}.height`),
    inBlock: parseInteger(object['in_block'] ?? 0, `${path}.in_block`),
    setNonce: idAt(object['set_nonce'], `${path}.set_nonce`),
    pending: parseRoot(object['pending'], `${path}.pending`),
    signed: parseRoot(object['signed'], `${path}.signed`),
  }
  return [contractAt(object, path), wayBack]
}

const WITHDRAWAL = ['id', 'sender', 'recipient', 'amount', 'denom', 'height'] as const

const parseWithdrawal = (
  value: unknown,
  path: string,
): readonly [BridgeContract, readonly [number, StoredWithdrawal]] => {
  const object = parseObject(value, path, [...CONTRACT, ...WITHDRAWAL])
  const withdrawal = {
    sender: at(`${path}.sender`, () => parseAccountAddress(parseString(object['sender'], `${path}.sender`))),
    recipient: bytesAt(object['recipient'], `${path}.recipient`, ADDRESS_BYTES),
    amount: parseAmount(object['amount'], `${path}.amount`),
    denom: parseString(object['denom'], `${path}.denom`),
    height: parseInteger(object['height'], `${path}.height`),
  }
  return [contractAt(object, path), [idAt(object['id'], `${path}.id`), withdrawal]]
}

const parseMember = (value: unknown, path: string): Member => {
  const object = parseObject(value, path, ['address', 'power', 'validator'])
  return {
    address: bytesAt(object['address'], `${path}.address`, ADDRESS_BYTES),
    power: parseAmount(object['power'], `${path}.power`),
    validator: validatorAt(object['validator'], `${path}.validator`),
  }
}

const parseSet = (value: unknown, path: string): readonly [BridgeContract, StoredSet] => {
  const object = parseObject(value, path, [...CONTRACT, 'nonce', 'members', 'threshold', 'height', 'signatures'])
  const set = {
    nonce: idAt(object['nonce'], `${path}.nonce`),
    members: parseArray(object['members'], `${path}.members`, MAX_MEMBERS).map((each, index) =>
      parseMember(each, `${path}.members[${index}]`),
    ),
    threshold: parseAmount(object['threshold'], `${path}.threshold`),
    height: parseInteger(object['height'], `${path}.height`),
    signatures: parseSignatures(object['signatures'], `${path}.signatures`),
  }
  return [contractAt(object, path), set]
}

const parseUnheard = (value: unknown, path: string): Unheard => {
  const object = parseObject(value, path, ['validator', 'until'])
  return {
    validator: validatorAt(object['validator'], `${path}.validator`),
    until: parseInteger(object['until'], `${path}.until`),
  }
}

type Keys = WayBackGenesis['keys']

/** A set with one address twice is none that the contract takes. */
const requireDistinctKeys = (keys: Keys, path: string): Keys => {
  const seen = new Set<string>()
  for (const [index, [validator, address]] of keys.entries()) {
    for (const name of [`validator ${bytesToHex(validator)}`, `address ${bytesToHex(address)}`]) {
      if (seen.has(name)) failAt(`${path}[${index}]`, `has the ${name}, which stands before it`)
      seen.add(name)
    }
  }
  return keys
}

/** Throws genesis/1. */
export const parseWayBackGenesis = (object: Readonly<Record<string, unknown>>, path: string): WayBackGenesis => {
  const list = <Value>(name: string, most: number, parse: (value: unknown, path: string) => Value): readonly Value[] =>
    parseArray(object[name], `${path}.${name}`, most).map((each, index) => parse(each, `${path}.${name}[${index}]`))
  const genesis = {
    burned: list('burned', MAX_CONTRACTS, parseBurned),
    keys: requireDistinctKeys(list('keys', MAX_KEYS, parseKey), `${path}.keys`),
    wayBack: list('way_back', MAX_CONTRACTS, parseWayBack),
    withdrawals: list('withdrawals', MAX_LISTED, parseWithdrawal),
    sets: list('signing_sets', MAX_LISTED, parseSet),
    unheard: list('unheard', MAX_UNHEARD, parseUnheard),
  }
  requireSets(genesis, path)
  return genesis
}

/** Throws genesis/1 where a withdrawal is missing, which has the id that follows the one before, and where roots or signatures are of another chain. */
export const initWayBackGenesis = (state: StateWriter, genesis: WayBackGenesis, nativeChainId: string): void => {
  for (const [denom, amount] of genesis.burned) writeBurned(state, denom, amount)
  for (const [validator, address] of genesis.keys) writeBridgeKey(state, validator, address)
  for (const [contract, { pending, signed, ...wayBack }] of genesis.wayBack) {
    writeWayBack(state, contract, wayBack)
    if (pending !== undefined || signed !== undefined) writeRoots(state, contract, { pending, signed })
  }
  for (const [contract, set] of genesis.sets) writeSet(state, contract, set)
  for (const [index, [contract, [id, withdrawal]]] of genesis.withdrawals.entries()) {
    const wayBack = readWayBack(state, contract)
    if (wayBack.size !== id) failAt(`app_state.bridge.withdrawals[${index}].id`, `must be ${wayBack.size}`)
    appendWithdrawal(state, contract, nativeChainId, id, withdrawal)
    writeWayBack(state, contract, { ...wayBack, size: id + 1 })
  }
  writeUnheard(state, genesis.unheard)
  requireSignedHere(state, genesis, nativeChainId, 'app_state.bridge')
}

const shownContract = ({ chainId, address }: BridgeContract) => ({
  chain_id: chainId.toString(),
  contract: bytesToHex(address),
})

const shownSignatures = (signatures: MemberSignatures) =>
  [...signatures].map(([member, signature]) => ({ member, signature: bytesToHex(signature) }))

const shownRoot = (name: string, root: StoredRoot | undefined) =>
  root === undefined
    ? {}
    : {
        [name]: {
          root: bytesToHex(root.root),
          size: root.size,
          nonce: root.nonce,
          signatures: shownSignatures(root.signatures),
        },
      }

const shownWayBack = (state: StateReader, contract: BridgeContract, wayBack: WayBack) => {
  const { pending, signed } = readRoots(state, contract)
  return {
    ...shownContract(contract),
    held: wayBack.held.toString(),
    day: wayBack.day,
    day_amount: wayBack.dayAmount.toString(),
    height: wayBack.height.toString(),
    in_block: wayBack.inBlock,
    set_nonce: wayBack.setNonce,
    ...shownRoot('pending', pending),
    ...shownRoot('signed', signed),
  }
}

function* shownWithdrawals(state: StateReader) {
  for (const [contract] of listWayBack(state)) {
    for (const [id, { sender, recipient, amount, denom, height }] of listWithdrawals(state, contract)) {
      yield {
        ...shownContract(contract),
        id,
        sender: encodeBech32(sender),
        recipient: bytesToHex(recipient),
        amount: amount.toString(),
        denom,
        height: height.toString(),
      }
    }
  }
}

function* shownSets(state: StateReader) {
  for (const [contract] of listWayBack(state)) {
    for (const [nonce, { members, threshold, height, signatures }] of listSets(state, contract)) {
      yield {
        ...shownContract(contract),
        nonce,
        members: members.map(({ address, power, validator }) => ({
          address: bytesToHex(address),
          power: power.toString(),
          validator: formatConsensusAddress(validator),
        })),
        threshold: threshold.toString(),
        height: height.toString(),
        signatures: shownSignatures(signatures),
      }
    }
  }
}

/** The inverse of {@link initWayBackGenesis}. */
export const exportWayBackGenesis = (state: StateReader) => ({
  burned: [...listBurned(state)].map(([denom, amount]) => ({ denom, amount: amount.toString() })),
  keys: [...listBridgeKeys(state)].map(([validator, address]) => ({
    validator: formatConsensusAddress(validator),
    address: bytesToHex(address),
  })),
  way_back: [...listWayBack(state)].map(([contract, wayBack]) => shownWayBack(state, contract, wayBack)),
  withdrawals: shownWithdrawals(state),
  signing_sets: shownSets(state),
  unheard: readUnheard(state).map(({ validator, until }) => ({
    validator: formatConsensusAddress(validator),
    until: until.toString(),
  })),
})
