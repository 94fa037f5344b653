/** Makes, from the transaction object of a call, the message that the engine runs, with geth's defaults and checks. */
import { ZERO_ADDRESS } from '../core/address.ts'
import { EMPTY_BYTES } from '../core/bytes.ts'
import { type Hex, hexToBigint, hexToBytes } from '../core/hex.ts'
import type { Message } from '../evm/engine.ts'
import { queryFailed } from '../app/errors.ts'
import type { CallRequest } from '../app/ports.ts'

const big = (hex: Hex | undefined): bigint => (hex === undefined ? 0n : hexToBigint(hex))

const typeOf = (call: CallRequest): number => {
  if (call.authorizationList !== undefined) return 4
  if (call.blobVersionedHashes !== undefined) return 3
  if (call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined) return 2
  if (call.accessList !== undefined) return 1
  return call.gasPrice === undefined ? 2 : 0
}

interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

const feesOf = (call: CallRequest): Fees => {
  const dynamic = call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined
  if (call.gasPrice !== undefined && dynamic) {
    throw queryFailed('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  if (call.gasPrice !== undefined) {
    const price = hexToBigint(call.gasPrice)
    return { maxFeePerGas: price, maxPriorityFeePerGas: price }
  }
  return { maxFeePerGas: big(call.maxFeePerGas), maxPriorityFeePerGas: big(call.maxPriorityFeePerGas) }
}

/** Blobs without a fee are free. */
const blobFeeOf = ({ blobVersionedHashes, maxFeePerBlobGas }: CallRequest): bigint | undefined =>
  maxFeePerBlobGas === undefined && blobVersionedHashes === undefined ? undefined : big(maxFeePerBlobGas)

/** Throws query/1. `gasLimit` is what the call may use. */
export const toCallMessage = (call: CallRequest, chainId: bigint, gasLimit: bigint): Message => {
  const fees = feesOf(call)
  if (call.chainId !== undefined && hexToBigint(call.chainId) !== chainId) {
    throw queryFailed(`chainId does not match node's (have=${hexToBigint(call.chainId)}, want=${chainId})`)
  }
  return {
    type: typeOf(call),
    sender: call.from === undefined ? ZERO_ADDRESS : hexToBytes(call.from),
    to: call.to === undefined ? undefined : hexToBytes(call.to),
    nonce: big(call.nonce),
    gasLimit,
    value: big(call.value),
    data: call.data === undefined ? EMPTY_BYTES : hexToBytes(call.data),
    ...fees,
    accessList: (call.accessList ?? []).map(({ address, storageKeys }) => ({
      address: hexToBytes(address),
      storageKeys: storageKeys.map(hexToBytes),
    })),
    authorizationList: (call.authorizationList ?? []).map((authorization) => ({
      chainId: hexToBigint(authorization.chainId),
      address: hexToBytes(authorization.address),
      nonce: hexToBigint(authorization.nonce),
      yParity: hexToBigint(authorization.yParity),
      r: hexToBigint(authorization.r),
      s: hexToBigint(authorization.s),
    })),
    blobVersionedHashes: (call.blobVersionedHashes ?? []).map(hexToBytes),
    maxFeePerBlobGas: blobFeeOf(call),
  }
}
