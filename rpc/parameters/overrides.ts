/** State and block overrides of calls (geth's override.StateOverride and override.BlockOverrides). */
import type { AccountOverride, BlockOverrides, StateOverrides } from '../../app/ports.ts'
import { checksumAddress, parseAddress } from '../../core/address.ts'
import type { Hex } from '../../core/hex.ts'
import { rpcError } from '../errors.ts'
import { arrayDecoder, isObject, mismatch, optional, structDecoder, type Decode } from './go-json.ts'
import { decodeAddress, decodeBig, decodeData, decodeHash, decodeUint64 } from './hex.ts'

/** A Go map: keys are read as values are. */
const mapDecoder =
  <Value>(type: string, decodeKey: Decode<Hex>, decodeValue: Decode<Value>): Decode<Readonly<Record<Hex, Value>>> =>
  (value, place) => {
    if (value === null) return {}
    if (!isObject(value)) throw mismatch(value, place, type)
    const result: Record<Hex, Value> = {}
    for (const [key, item] of Object.entries(value)) result[decodeKey(key, place)] = decodeValue(item, place)
    return result
  }

const decodeSlots = optional(mapDecoder('map[common.Hash]common.Hash', decodeHash, decodeHash))

export type AccountMembers = { readonly [Name in keyof AccountOverride]-?: AccountOverride[Name] | undefined }

const decodeAccount = structDecoder<AccountMembers>({
  type: 'override.OverrideAccount',
  name: 'OverrideAccount',
  members: {
    nonce: optional(decodeUint64),
    code: optional(decodeData),
    balance: optional(decodeBig),
    state: decodeSlots,
    stateDiff: decodeSlots,
    movePrecompileToAddress: optional(decodeAddress),
  },
})

const withoutUndefined = <Result extends object>(value: object): Result =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Result

export type StateOverridesRead = Readonly<Record<Hex, Partial<AccountMembers>>>

export const decodeStateOverrides: Decode<StateOverridesRead> = mapDecoder(
  'override.StateOverride',
  decodeAddress,
  decodeAccount,
)

/** Throws rpc/failed when an account has both kinds of storage. */
export const toStateOverrides = (read: StateOverridesRead): StateOverrides => {
  const result: Record<Hex, AccountOverride> = {}
  for (const [address, account] of Object.entries(read) as [Hex, Partial<AccountMembers>][]) {
    if (account.state !== undefined && account.stateDiff !== undefined) {
      throw rpcError('failed', `account ${checksumAddress(parseAddress(address))} has both 'state' and 'stateDiff'`)
    }
    result[address] = withoutUndefined<AccountOverride>(account)
  }
  return result
}

export interface BlockMembers extends Record<keyof BlockOverrides, Hex | undefined> {
  readonly difficulty: Hex | undefined
  readonly beaconRoot: Hex | undefined
  readonly withdrawals: readonly unknown[] | undefined
}

export type BlockOverridesRead = Partial<BlockMembers>

export const decodeBlockOverrides: Decode<BlockOverridesRead> = structDecoder<BlockMembers>({
  type: 'override.BlockOverrides',
  name: 'BlockOverrides',
  capitalized: true,
  members: {
    number: optional(decodeBig),
    difficulty: optional(decodeBig),
    time: optional(decodeUint64),
    gasLimit: optional(decodeUint64),
    feeRecipient: optional(decodeAddress),
    prevRandao: optional(decodeHash),
    baseFeePerGas: optional(decodeBig),
    blobBaseFee: optional(decodeBig),
    beaconRoot: optional(decodeHash),
    withdrawals: optional(arrayDecoder('types.Withdrawals', (value) => value)),
  },
})

/** Difficulty has no effect on a chain with PREVRANDAO. Throws rpc/failed for what calls do not have. */
export const toBlockOverrides = (read: BlockOverridesRead): BlockOverrides => {
  const { difficulty: _, beaconRoot, withdrawals, ...rest } = read
  if (beaconRoot !== undefined) throw unsupported('beaconRoot')
  if (withdrawals !== undefined) throw unsupported('withdrawals')
  return withoutUndefined<BlockOverrides>(rest)
}

const unsupported = (name: string): Error =>
  rpcError('failed', `block override "${name}" is not supported for this RPC method`)
