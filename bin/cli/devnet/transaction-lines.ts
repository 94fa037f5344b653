/** What a devnet tells of each transaction on the terminal: one line. */
import type { FeedBlock, FeedTransaction } from '../../../app/ports.ts'
import { hexToBytes, bytesToHex, type Hex } from '../../../core/hex.ts'
import { checksumAddress } from '../../../core/address.ts'
import { decodeTransaction } from '../../../evm/transaction/decode-transaction.ts'
import { methodName } from './methods.ts'

/** Lines of a block: a load test must not make the terminal the slowest part. */
const MAX_LINES = 50
const SHOWN_TEXT = 200

const grouped = (digits: string): string => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
const shown = (address: Hex): string => checksumAddress(hexToBytes(address))
/** Text of contracts reaches a terminal: nothing that it would act upon. */
const harmless = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ').slice(0, SHOWN_TEXT)

const ethereumLine = (transaction: FeedTransaction, reason: string | undefined): string | undefined => {
  const { receipt, hash, raw, gasUsed, log } = transaction
  if (receipt === undefined) return undefined
  const { to, data } = decodeTransaction(hexToBytes(raw))
  const { contractAddress } = receipt
  const what =
    to === undefined
      ? contractAddress === null
        ? 'creates a contract'
        : `creates ${shown(contractAddress)}`
      : `to ${checksumAddress(to)}${data.length === 0 ? '' : ` ${methodName(bytesToHex(data.subarray(0, 4)))}`}`
  const outcome = receipt.succeeded ? '' : `  ${harmless(reason === undefined ? log : `${log}: ${reason}`)}`
  return `${hash}  from ${shown(receipt.from)} ${what}  gas ${grouped(gasUsed)}${outcome}`
}

const nativeLine = ({ hash, code, codespace, log, gasUsed, events }: FeedTransaction): string => {
  const actions = events.flatMap(({ type, attributes }) =>
    type === 'message' ? attributes.filter(({ key }) => key === 'action').map(({ value }) => value) : [],
  )
  const outcome = code === 0 ? '' : `  failed with ${codespace}/${code}: ${harmless(log)}`
  const names = [...new Set(actions.map((action) => action.split('.').at(-1) ?? action))].join(', ')
  return `${hash.slice(2).toUpperCase()}  ${names || 'native transaction'}  gas ${grouped(gasUsed)}${outcome}`
}

/** Why a transaction reverted, in the words of its contract; undefined where it gave none. */
export type ReasonOf = (hash: Hex) => Promise<string | undefined>

const lineOf = async (transaction: FeedTransaction, reasonOf: ReasonOf): Promise<string | undefined> => {
  if (transaction.family === 'native') return nativeLine(transaction)
  const isReverted = transaction.receipt?.succeeded === false && transaction.log === 'execution reverted'
  return ethereumLine(transaction, isReverted ? await reasonOf(transaction.hash) : undefined)
}

/**
 * Gives at most {@link MAX_LINES} and one more that says how many are left out; none of a block without transactions.
 */
export const transactionLines = async (
  { height, transactions }: FeedBlock,
  reasonOf: ReasonOf,
): Promise<readonly string[]> => {
  const own = transactions.filter(({ family }) => family === 'ethereum' || family === 'native')
  const lines: string[] = []
  for (const transaction of own.slice(0, MAX_LINES)) {
    const line = await lineOf(transaction, reasonOf)
    if (line !== undefined) lines.push(`${height}  ${line}`)
  }
  const more = own.length - MAX_LINES
  return more > 0 ? [...lines, `${height}  and ${grouped(String(more))} transactions more`] : lines
}
