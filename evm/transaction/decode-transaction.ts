/** Decodes the wire form of a transaction (EIP-2718) into its fields, as strictly as geth's decoder. */
import { plainBytes } from '../../core/bytes.ts'
import { typedTransactionTooShort, typeNotSupported } from '../errors.ts'
import { FieldReader, readFixed } from './field-reader.ts'
import { RlpStream } from './rlp-stream.ts'
import type {
  AccessListEntry,
  AccessListTransaction,
  Authorization,
  DynamicFeeTransaction,
  LegacyTransaction,
  SetCodeTransaction,
  Transaction,
} from './transaction.ts'

/** EIP-155: v = 35 + 2 * chain id + parity; 27, 28 (and the invalid 0 and 1) name no chain. */
const chainIdOf = (v: bigint): bigint | undefined => {
  if (v === 27n || v === 28n || v === 0n || v === 1n) return undefined
  // Below 35 geth's 64-bit subtraction wraps around: no chain has such an id, so the signer refuses it.
  return v >= 1n << 64n ? (v - 35n) / 2n : BigInt.asUintN(64, v - 35n) / 2n
}

export const readHash = (stream: RlpStream, path: string): Uint8Array | undefined =>
  readFixed(stream, 'common.Hash', path, 32)

export const readAccessListEntry = (stream: RlpStream, path: string): AccessListEntry | undefined => {
  const reader = FieldReader.element(stream, 'types.AccessTuple', path)
  if (reader === undefined) return undefined
  const entry = {
    address: reader.address('Address'),
    storageKeys: reader.list('StorageKeys', '[]common.Hash', readHash),
  }
  reader.end()
  return entry
}

const readAuthorization = (stream: RlpStream, path: string): Authorization | undefined => {
  const reader = FieldReader.element(stream, 'types.SetCodeAuthorization', path)
  if (reader === undefined) return undefined
  const authorization = {
    chainId: reader.uint256('ChainID'),
    address: reader.address('Address'),
    nonce: reader.uint('Nonce', 64),
    yParity: reader.uint('V', 8),
    r: reader.uint256('R'),
    s: reader.uint256('S'),
  }
  reader.end()
  return authorization
}

const decodeLegacy = (stream: RlpStream): LegacyTransaction => {
  const reader = FieldReader.outermost(stream, 'types.LegacyTx')
  const fields = {
    nonce: reader.uint('Nonce', 64),
    gasPrice: reader.bigInteger('GasPrice'),
    gasLimit: reader.uint('Gas', 64),
    to: reader.optionalAddress('To'),
    value: reader.bigInteger('Value'),
    data: reader.bytes('Data'),
    v: reader.bigInteger('V'),
    r: reader.bigInteger('R'),
    s: reader.bigInteger('S'),
  }
  reader.end()
  return { type: 0, chainId: chainIdOf(fields.v), ...fields }
}

const decodeAccessList = (stream: RlpStream): AccessListTransaction => {
  const reader = FieldReader.outermost(stream, 'types.AccessListTx')
  const fields = {
    chainId: reader.bigInteger('ChainID'),
    nonce: reader.uint('Nonce', 64),
    gasPrice: reader.bigInteger('GasPrice'),
    gasLimit: reader.uint('Gas', 64),
    to: reader.optionalAddress('To'),
    value: reader.bigInteger('Value'),
    data: reader.bytes('Data'),
    accessList: reader.list('AccessList', 'types.AccessList', readAccessListEntry),
    v: reader.bigInteger('V'),
    r: reader.bigInteger('R'),
    s: reader.bigInteger('S'),
  }
  reader.end()
  return { type: 1, ...fields }
}

const decodeDynamicFee = (stream: RlpStream): DynamicFeeTransaction => {
  const reader = FieldReader.outermost(stream, 'types.DynamicFeeTx')
  const fields = {
    chainId: reader.bigInteger('ChainID'),
    nonce: reader.uint('Nonce', 64),
    maxPriorityFeePerGas: reader.bigInteger('GasTipCap'),
    maxFeePerGas: reader.bigInteger('GasFeeCap'),
    gasLimit: reader.uint('Gas', 64),
    to: reader.optionalAddress('To'),
    value: reader.bigInteger('Value'),
    data: reader.bytes('Data'),
    accessList: reader.list('AccessList', 'types.AccessList', readAccessListEntry),
    v: reader.bigInteger('V'),
    r: reader.bigInteger('R'),
    s: reader.bigInteger('S'),
  }
  reader.end()
  return { type: 2, ...fields }
}

const decodeSetCode = (stream: RlpStream): SetCodeTransaction => {
  const reader = FieldReader.outermost(stream, 'types.SetCodeTx')
  const fields = {
    chainId: reader.uint256('ChainID'),
    nonce: reader.uint('Nonce', 64),
    maxPriorityFeePerGas: reader.uint256('GasTipCap'),
    maxFeePerGas: reader.uint256('GasFeeCap'),
    gasLimit: reader.uint('Gas', 64),
    to: reader.address('To'),
    value: reader.uint256('Value'),
    data: reader.bytes('Data'),
    accessList: reader.list('AccessList', 'types.AccessList', readAccessListEntry),
    authorizationList: reader.list('AuthList', '[]types.SetCodeAuthorization', readAuthorization),
    v: reader.uint256('V'),
    r: reader.uint256('R'),
    s: reader.uint256('S'),
  }
  reader.end()
  return { type: 4, ...fields }
}

/** Reads exactly one value from `payload`. */
export const decodePayload = <Value>(payload: Uint8Array, read: (stream: RlpStream) => Value): Value => {
  const stream = new RlpStream(payload)
  const value = read(stream)
  stream.finish()
  return value
}

/** Decodes types 0, 1, 2 and 4. Throws evm/typeNotSupported (type 3 too), typedTransactionTooShort, malformedTransaction. */
export const decodeTransaction = (raw: Uint8Array): Transaction => {
  const bytes = plainBytes(raw)
  const first = bytes[0]
  if (first !== undefined && first > 0x7f) return decodePayload(bytes, decodeLegacy)
  if (bytes.length <= 1) throw typedTransactionTooShort()
  const payload = bytes.subarray(1)
  switch (first) {
    case 1:
      return decodePayload(payload, decodeAccessList)
    case 2:
      return decodePayload(payload, decodeDynamicFee)
    case 4:
      return decodePayload(payload, decodeSetCode)
    default:
      throw typeNotSupported()
  }
}
