/** The JSON objects of Ethereum's JSON-RPC, with geth's members in geth's order. */
import { bytesToHex, type Hex, quantityToHex } from '../core/hex.ts'
import { EMPTY_UNCLES_HASH, type Hash } from '../core/hash.ts'
import type { Address } from '../core/address.ts'
import type { Log } from '../evm/engine.ts'
import type { AccessListEntry, SignedTransaction, Transaction } from '../evm/transaction/transaction.ts'
import {
  BLOCK_NONCE,
  type Header,
  PARENT_BEACON_BLOCK_ROOT,
  REQUESTS_HASH,
  WITHDRAWALS_ROOT,
} from '../app/records/header.ts'
import { logsBloom, type Receipt } from '../app/records/receipt.ts'
import type { HeaderRecord } from '../app/records/records.ts'

export type Json = Readonly<Record<string, unknown>>

const UNCLES_HASH = bytesToHex(EMPTY_UNCLES_HASH)

/** A block, its members in the order of their names; `transactions` are hashes or objects. The hash of a pending one is null. */
export const blockJson = (
  header: Header,
  hash: Hash | null,
  sizeBytes: number,
  transactions: readonly unknown[],
): Json => ({
  baseFeePerGas: quantityToHex(header.baseFeePerGas),
  blobGasUsed: quantityToHex(header.blobGasUsed ?? 0n),
  difficulty: '0x0',
  excessBlobGas: quantityToHex(header.excessBlobGas ?? 0n),
  extraData: bytesToHex(header.extraData),
  gasLimit: quantityToHex(header.gasLimit),
  gasUsed: quantityToHex(header.gasUsed),
  hash: hash === null ? null : bytesToHex(hash),
  logsBloom: bytesToHex(header.logsBloom),
  miner: hash === null ? null : bytesToHex(header.miner),
  mixHash: bytesToHex(header.mixHash),
  nonce: hash === null ? null : bytesToHex(BLOCK_NONCE),
  number: quantityToHex(header.number),
  ...(hash === null
    ? {}
    : { parentBeaconBlockRoot: bytesToHex(header.parentBeaconBlockRoot ?? PARENT_BEACON_BLOCK_ROOT) }),
  parentHash: bytesToHex(header.parentHash),
  receiptsRoot: bytesToHex(header.receiptsRoot),
  requestsHash: bytesToHex(REQUESTS_HASH),
  sha3Uncles: UNCLES_HASH,
  size: quantityToHex(sizeBytes),
  stateRoot: bytesToHex(header.stateRoot),
  timestamp: quantityToHex(header.timestamp),
  transactions,
  transactionsRoot: bytesToHex(header.transactionsRoot),
  uncles: [],
  withdrawals: [],
  withdrawalsRoot: bytesToHex(header.withdrawalsRoot ?? WITHDRAWALS_ROOT),
})

/** `newHeads` has the members of a header in the order of its fields. */
const HEAD_MEMBERS = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'hash',
]

/** A header as `newHeads` shows it. */
export const headerJson = (header: Header, hash: Hash): Json => {
  const view = blockJson(header, hash, 0, [])
  return Object.fromEntries(HEAD_MEMBERS.map((name) => [name, view[name]]))
}

/** The place of a transaction in a block; a waiting one has none. */
export interface Placement {
  readonly blockHash: Hex
  readonly height: number
  readonly index: number
  readonly baseFeePerGas: bigint
}

const feeMembers = (transaction: Transaction, placement: Placement | undefined): Json => {
  if ('gasPrice' in transaction) return { gasPrice: quantityToHex(transaction.gasPrice) }
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction
  const capped =
    placement === undefined || placement.baseFeePerGas + maxPriorityFeePerGas > maxFeePerGas
      ? maxFeePerGas
      : placement.baseFeePerGas + maxPriorityFeePerGas
  return {
    gasPrice: quantityToHex(capped),
    maxFeePerGas: quantityToHex(maxFeePerGas),
    maxPriorityFeePerGas: quantityToHex(maxPriorityFeePerGas),
  }
}

export const accessListJson = (list: readonly AccessListEntry[]): readonly Json[] =>
  list.map(({ address, storageKeys }) => ({ address: bytesToHex(address), storageKeys: storageKeys.map(bytesToHex) }))

export const accessListMember = (transaction: Transaction): Json =>
  'accessList' in transaction ? { accessList: accessListJson(transaction.accessList) } : {}

export const authorizationMember = (transaction: Transaction): Json =>
  transaction.type === 4
    ? {
        authorizationList: transaction.authorizationList.map((authorization) => ({
          chainId: quantityToHex(authorization.chainId),
          address: bytesToHex(authorization.address),
          nonce: quantityToHex(authorization.nonce),
          yParity: quantityToHex(authorization.yParity),
          r: quantityToHex(authorization.r),
          s: quantityToHex(authorization.s),
        })),
      }
    : {}

export const transactionJson = (
  { transaction, hash, sender }: SignedTransaction,
  placement: Placement | undefined,
): Json => ({
  blockHash: placement?.blockHash ?? null,
  blockNumber: placement === undefined ? null : quantityToHex(placement.height),
  from: bytesToHex(sender),
  gas: quantityToHex(transaction.gasLimit),
  ...feeMembers(transaction, placement),
  hash: bytesToHex(hash),
  input: bytesToHex(transaction.data),
  nonce: quantityToHex(transaction.nonce),
  to: transaction.to === undefined ? null : bytesToHex(transaction.to),
  transactionIndex: placement === undefined ? null : quantityToHex(placement.index),
  value: quantityToHex(transaction.value),
  type: quantityToHex(transaction.type),
  ...accessListMember(transaction),
  ...(transaction.chainId === undefined ? {} : { chainId: quantityToHex(transaction.chainId) }),
  ...authorizationMember(transaction),
  v: quantityToHex(transaction.v),
  r: quantityToHex(transaction.r),
  s: quantityToHex(transaction.s),
  ...(transaction.type === 0 ? {} : { yParity: quantityToHex(transaction.v) }),
})

/** A text without characters that JSON escapes; `null` where there is none. */
const member = (value: string | undefined): string => (value === undefined ? 'null' : `"${value}"`)

/** What is rare in a transaction, as members in the midst of others. */
const rareMembers = (members: Json): string => {
  const text = JSON.stringify(members).slice(1, -1)
  return text === '' ? '' : `${text},`
}

/** The JSON of {@link transactionJson}, without an object in between: a block can have thousands of them. */
export const transactionText = (signed: SignedTransaction, placement: Placement): string => {
  const { transaction, hash, sender } = signed
  const { type, to, chainId } = transaction
  const fees = feeMembers(transaction, placement) as { readonly [name: string]: string }
  const feeText =
    type === 0 || type === 1
      ? ''
      : `"maxFeePerGas":"${fees['maxFeePerGas']}","maxPriorityFeePerGas":"${fees['maxPriorityFeePerGas']}",`
  const v = quantityToHex(transaction.v)
  return (
    `{"blockHash":"${placement.blockHash}","blockNumber":"${quantityToHex(placement.height)}",` +
    `"from":"${bytesToHex(sender)}","gas":"${quantityToHex(transaction.gasLimit)}","gasPrice":"${fees['gasPrice']}",${feeText}` +
    `"hash":"${bytesToHex(hash)}","input":"${bytesToHex(transaction.data)}","nonce":"${quantityToHex(transaction.nonce)}",` +
    `"to":${member(to && bytesToHex(to))},"transactionIndex":"${quantityToHex(placement.index)}",` +
    `"value":"${quantityToHex(transaction.value)}","type":"${quantityToHex(type)}",` +
    rareMembers(accessListMember(transaction)) +
    (chainId === undefined ? '' : `"chainId":"${quantityToHex(chainId)}",`) +
    rareMembers(authorizationMember(transaction)) +
    `"v":"${v}","r":"${quantityToHex(transaction.r)}","s":"${quantityToHex(transaction.s)}"` +
    (type === 0 ? '}' : `,"yParity":"${v}"}`)
  )
}

export interface LogPlace {
  readonly record: HeaderRecord
  readonly transactionHash: Hex
  readonly transactionIndex: number
  readonly logIndex: number
}

export const logJson = (log: Log, place: LogPlace): Json => ({
  address: bytesToHex(log.address),
  topics: log.topics.map(bytesToHex),
  data: bytesToHex(log.data),
  blockNumber: quantityToHex(place.record.header.number),
  transactionHash: place.transactionHash,
  transactionIndex: quantityToHex(place.transactionIndex),
  blockHash: bytesToHex(place.record.hash),
  blockTimestamp: quantityToHex(place.record.header.timestamp),
  logIndex: quantityToHex(place.logIndex),
  removed: false,
})

export interface ReceiptPlace {
  readonly record: HeaderRecord
  readonly index: number
  readonly transactionHash: Hash
  readonly from: Address
  readonly to: Address | undefined
}

const EMPTY_BLOOM = bytesToHex(logsBloom([]))

export const receiptJson = (receipt: Receipt, place: ReceiptPlace): Json => {
  const transactionHash = bytesToHex(place.transactionHash)
  const transactionIndex = place.index
  return {
    blockHash: bytesToHex(place.record.hash),
    blockNumber: quantityToHex(place.record.header.number),
    contractAddress: receipt.contractAddress === undefined ? null : bytesToHex(receipt.contractAddress),
    cumulativeGasUsed: quantityToHex(receipt.cumulativeGasUsed),
    effectiveGasPrice: quantityToHex(receipt.effectiveGasPrice),
    from: bytesToHex(place.from),
    gasUsed: quantityToHex(receipt.gasUsed),
    logs: receipt.logs.map((log, index) =>
      logJson(log, {
        record: place.record,
        transactionHash,
        transactionIndex,
        logIndex: receipt.firstLogIndex + index,
      }),
    ),
    logsBloom: receipt.logs.length === 0 ? EMPTY_BLOOM : bytesToHex(logsBloom(receipt.logs)),
    status: receipt.succeeded ? '0x1' : '0x0',
    to: place.to === undefined ? null : bytesToHex(place.to),
    transactionHash,
    transactionIndex: quantityToHex(transactionIndex),
    type: quantityToHex(receipt.type),
  }
}
