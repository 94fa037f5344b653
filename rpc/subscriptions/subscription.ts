/** The kinds of eth_subscribe and their parameters, read with geth's texts. */
import type { BlockReference, LogCriteria } from '../../app/ports.ts'
import type { Hex } from '../../core/hex.ts'
import { rpcError } from '../errors.ts'
import { optionalParameter, readParameters, required, type Parameter } from '../method.ts'
import { checkCriteriaSize, decodeCriteria } from '../parameters/criteria.ts'
import { arrayDecoder, decodeBoolean, decodeString, invalidValue, structDecoder } from '../parameters/go-json.ts'
import { decodeHash } from '../parameters/hex.ts'
import { createMatcher, type LogView } from './match-logs.ts'

export type SubscriptionKind =
  | { readonly type: 'newHeads' }
  | { readonly type: 'logs'; readonly criteria: LogCriteria; readonly matches: (log: LogView) => boolean }
  | { readonly type: 'newPendingTransactions'; readonly full: boolean }
  | { readonly type: 'syncing' }
  | { readonly type: 'transactionReceipts'; readonly hashes: ReadonlySet<Hex> }

/** Hashes that one subscription to receipts may name. */
const MAX_RECEIPT_HASHES = 200

const decodeReceiptsQuery = structDecoder<{ transactionHashes: readonly Hex[] }>({
  type: 'filters.input',
  name: 'input',
  members: { transactionHashes: arrayDecoder('[]common.Hash', decodeHash) },
})

/** -1 is `latest`; other tags but `earliest` bound nothing that a subscription can see. */
const boundOf = (block: BlockReference | undefined): number | undefined => {
  if (block === undefined) return -1
  if ('number' in block) return block.number
  if (!('tag' in block)) return undefined
  if (block.tag === 'pending') throw rpcError('failed', 'pending logs are not supported')
  return block.tag === 'latest' ? -1 : undefined
}

const isEarliest = (block: BlockReference | undefined): boolean =>
  block !== undefined && 'tag' in block && block.tag === 'earliest'

/** New logs only: from a height or the head on, to a height or for ever. */
const checkRange = (criteria: LogCriteria): LogCriteria => {
  const from = isEarliest(criteria.fromBlock) ? 0 : boundOf(criteria.fromBlock)
  const to = boundOf(criteria.toBlock)
  const isOpen = to === -1 && from !== undefined
  const isBounded = from !== undefined && to !== undefined && from >= 0 && to >= from
  if (!isOpen && !isBounded) throw rpcError('failed', 'invalid block range params')
  return criteria
}

type Kinds = Readonly<
  Record<string, { parameters: readonly Parameter<unknown>[]; create(values: unknown[]): SubscriptionKind }>
>

const ETH_KINDS: Kinds = {
  newHeads: { parameters: [], create: () => ({ type: 'newHeads' }) },
  syncing: { parameters: [], create: () => ({ type: 'syncing' }) },
  newPendingTransactions: {
    parameters: [optionalParameter(decodeBoolean)],
    create: ([full]) => ({ type: 'newPendingTransactions', full: full === true }),
  },
  logs: {
    parameters: [required(decodeCriteria)],
    create: ([given]) => {
      const criteria = checkRange(checkCriteriaSize(given as LogCriteria))
      return { type: 'logs', criteria, matches: createMatcher(criteria) }
    },
  },
  transactionReceipts: {
    parameters: [optionalParameter(decodeReceiptsQuery)],
    create: ([query]) => {
      const hashes = (query as { transactionHashes?: readonly Hex[] } | undefined)?.transactionHashes ?? []
      if (hashes.length > MAX_RECEIPT_HASHES) {
        throw rpcError('failed', 'exceed max number of transaction hashes allowed per transactionReceipts subscription')
      }
      return { type: 'transactionReceipts', hashes: new Set(hashes) }
    },
  },
}

/** Kinds by namespace: `<namespace>_subscribe` takes them, and `<namespace>_subscription` tells of them. */
const KINDS: Readonly<Record<string, Kinds>> = { eth: ETH_KINDS }

const kindOf = (namespace: string, name: string) => {
  const kinds = Object.hasOwn(KINDS, namespace) ? KINDS[namespace] : undefined
  return kinds !== undefined && Object.hasOwn(kinds, name) ? kinds[name] : undefined
}

/** Throws rpc/invalidParameters, and rpc/methodNotFound for an unknown kind. */
export const parseSubscription = (namespace: string, params: unknown): SubscriptionKind => {
  if (!Array.isArray(params)) throw invalidValue('non-array args')
  const [name] = params as readonly unknown[]
  if (typeof name !== 'string') throw invalidValue('expected subscription name as first argument')
  const kind = kindOf(namespace, name)
  if (kind === undefined) {
    throw rpcError('methodNotFound', `no ${goQuote(name)} subscription in ${namespace} namespace`)
  }
  return kind.create(readParameters(params, [required(decodeString), ...kind.parameters]).slice(1))
}

/** Go's %q of a text: that of JSON, but for the characters that JSON in Go hides from HTML. */
const goQuote = (text: string): string => JSON.stringify(text)
