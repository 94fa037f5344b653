/** From the wire form of a transaction (EIP-2718) to its fields, as strict as geth's decoder. */
import { plainBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { decodeRlp, type RlpItem } from '../../core/rlp.ts'
import { evmError, typedTransactionTooShort, typeNotSupported } from '../errors.ts'
import { FieldReader } from './field-reader.ts'
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

const readHash = (item: RlpItem, path: string): Uint8Array =>
  new FieldReader([item], 'common.Hash', path).fixed('', 'common.Hash', 32)

export const readAccessListEntry = (item: RlpItem, path: string): AccessListEntry => {
  const reader = new FieldReader(item, 'types.AccessTuple', path)
  const entry = {
    address: reader.address('Address'),
    storageKeys: reader.list('StorageKeys', '[]common.Hash', readHash),
  }
  reader.end()
  return entry
}

const readAuthorization = (item: RlpItem, path: string): Authorization => {
  const reader = new FieldReader(item, 'types.SetCodeAuthorization', path)
  const authorization = {
    chainId: reader.uint256('ChainID', 'uint256.Int'),
    address: reader.address('Address'),
    nonce: reader.uint('Nonce', 64),
    yParity: reader.uint('V', 8),
    r: reader.uint256('R', 'uint256.Int'),
    s: reader.uint256('S', 'uint256.Int'),
  }
  reader.end()
  return authorization
}

const decodeLegacy = (item: RlpItem): LegacyTransaction => {
  const reader = new FieldReader(item, 'types.LegacyTx')
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

const decodeAccessList = (item: RlpItem): AccessListTransaction => {
  const reader = new FieldReader(item, 'types.AccessListTx')
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

const decodeDynamicFee = (item: RlpItem): DynamicFeeTransaction => {
  const reader = new FieldReader(item, 'types.DynamicFeeTx')
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

const decodeSetCode = (item: RlpItem): SetCodeTransaction => {
  const reader = new FieldReader(item, 'types.SetCodeTx')
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

/** RLP's own errors (`rlp: ...`) under the code of a malformed transaction. */
export const decodePayload = (payload: Uint8Array): RlpItem => {
  try {
    return decodeRlp(payload)
  } catch (error) {
    if (error instanceof CodedError && error.codespace === 'rlp') throw evmError('malformedTransaction', error.message)
    throw error
  }
}

/** Decodes types 0, 1, 2 and 4. Throws evm/typeNotSupported (type 3 too), typedTransactionTooShort, malformedTransaction. */
export const decodeTransaction = (raw: Uint8Array): Transaction => {
  const bytes = plainBytes(raw)
  const first = bytes[0]
  if (first !== undefined && first > 0x7f) return decodeLegacy(decodePayload(bytes))
  if (bytes.length <= 1) throw typedTransactionTooShort()
  const payload = bytes.subarray(1)
  switch (first) {
    case 1:
      return decodeAccessList(decodePayload(payload))
    case 2:
      return decodeDynamicFee(decodePayload(payload))
    case 4:
      return decodeSetCode(decodePayload(payload))
    default:
      throw typeNotSupported()
  }
}
