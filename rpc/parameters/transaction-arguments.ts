/** Transaction objects of eth_call and eth_estimateGas (geth's TransactionArgs). */
import type { CallRequest } from '../../app/ports.ts'
import type { Hex } from '../../core/hex.ts'
import { rpcError } from '../errors.ts'
import { arrayDecoder, invalidValue, optional, refuseMismatch, structDecoder, type Decode } from './go-json.ts'
import { decodeAddress, decodeBig, decodeData, decodeHash, decodeU256, decodeUint64, fixedDecoder } from './hex.ts'

type AccessTuple = NonNullable<CallRequest['accessList']>[number]
type Authorization = NonNullable<CallRequest['authorizationList']>[number]

/** Checks the members that geth's generated parsers require, in their order; what they refuse, nothing goes on after. */
const requireMembers =
  <Result extends object>(
    name: string,
    names: readonly (keyof Result & string)[],
    decode: Decode<Partial<Result>>,
  ): Decode<Result> =>
  (value, place) => {
    const read = refuseMismatch(() => decode(value, place))
    for (const member of names) {
      if (read[member] === undefined) throw invalidValue(`missing required field '${member}' for ${name}`)
    }
    return read as Result
  }

const decodeAccessTuple = requireMembers<AccessTuple>(
  'AccessTuple',
  ['address', 'storageKeys'],
  structDecoder<AccessTuple>(
    {
      type: 'types.AccessTuple',
      name: 'AccessTuple',
      members: {
        address: optional(decodeAddress) as Decode<Hex>,
        storageKeys: optional(arrayDecoder('[]common.Hash', decodeHash)) as Decode<readonly Hex[]>,
      },
    },
    true,
  ),
)

const decodeAuthorization = requireMembers<Authorization>(
  'SetCodeAuthorization',
  ['chainId', 'address', 'nonce', 'yParity', 'r', 's'],
  structDecoder<Authorization>(
    {
      type: 'types.SetCodeAuthorization',
      name: 'SetCodeAuthorization',
      members: {
        chainId: optional(decodeU256) as Decode<Hex>,
        address: optional(decodeAddress) as Decode<Hex>,
        nonce: optional(decodeUint64) as Decode<Hex>,
        yParity: optional(decodeUint64) as Decode<Hex>,
        r: optional(decodeU256) as Decode<Hex>,
        s: optional(decodeU256) as Decode<Hex>,
      },
    },
    true,
  ),
)

export interface TransactionArguments {
  readonly from: Hex | undefined
  readonly to: Hex | undefined
  readonly gas: Hex | undefined
  readonly gasPrice: Hex | undefined
  readonly maxFeePerGas: Hex | undefined
  readonly maxPriorityFeePerGas: Hex | undefined
  readonly value: Hex | undefined
  readonly nonce: Hex | undefined
  readonly data: Hex | undefined
  readonly input: Hex | undefined
  readonly accessList: readonly AccessTuple[] | undefined
  readonly chainId: Hex | undefined
  readonly maxFeePerBlobGas: Hex | undefined
  readonly blobVersionedHashes: readonly Hex[] | undefined
  readonly authorizationList: readonly Authorization[] | undefined
  /** The parts of a sidecar: read, and of no effect on a call. */
  readonly blobs: readonly Hex[] | undefined
  readonly commitments: readonly Hex[] | undefined
  readonly proofs: readonly Hex[] | undefined
}

const sidecarDecoder = (type: string, bytes: number): Decode<readonly Hex[] | undefined> =>
  optional(arrayDecoder(`[]${type}`, fixedDecoder(type, bytes)))

const decodeArguments = structDecoder<TransactionArguments>({
  type: 'ethapi.TransactionArgs',
  name: 'TransactionArgs',
  members: {
    from: optional(decodeAddress),
    to: optional(decodeAddress),
    gas: optional(decodeUint64),
    gasPrice: optional(decodeBig),
    maxFeePerGas: optional(decodeBig),
    maxPriorityFeePerGas: optional(decodeBig),
    value: optional(decodeBig),
    nonce: optional(decodeUint64),
    data: optional(decodeData),
    input: optional(decodeData),
    accessList: optional(arrayDecoder('types.AccessList', decodeAccessTuple)),
    chainId: optional(decodeBig),
    maxFeePerBlobGas: optional(decodeBig),
    blobVersionedHashes: optional(arrayDecoder('[]common.Hash', decodeHash)),
    authorizationList: optional(arrayDecoder('[]types.SetCodeAuthorization', decodeAuthorization)),
    blobs: sidecarDecoder('kzg4844.Blob', 131_072),
    commitments: sidecarDecoder('kzg4844.Commitment', 48),
    proofs: sidecarDecoder('kzg4844.Proof', 48),
  },
})

/** What {@link decodeCall} read; {@link toCallRequest} judges it once all parameters have been read. */
export type CallArguments = Partial<TransactionArguments>

export const decodeCall: Decode<CallArguments> = decodeArguments

const PASSED_ON = [
  'from',
  'to',
  'gas',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'value',
  'nonce',
  'accessList',
  'authorizationList',
  'chainId',
  'blobVersionedHashes',
  'maxFeePerBlobGas',
] as const satisfies readonly (keyof CallRequest & keyof TransactionArguments)[]

/** Passes the members on without a check: those that exclude each other are refused where the call is made. */
export const passCall = (call: CallArguments): CallRequest => {
  const request: Record<string, unknown> = {}
  for (const name of PASSED_ON) if (call[name] !== undefined) request[name] = call[name]
  // `input` is the newer name and wins.
  const data = call.input ?? call.data
  if (data !== undefined) request['data'] = data
  return request as CallRequest
}

/** Judges the members that were read. Throws rpc/failed for those that exclude each other. */
export const toCallRequest = (call: CallArguments): CallRequest => {
  if (call.gasPrice !== undefined && (call.maxFeePerGas ?? call.maxPriorityFeePerGas) !== undefined) {
    throw rpcError('failed', 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  return passCall(call)
}
