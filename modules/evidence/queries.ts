/** The read-only gRPC methods of cosmos.evidence.v1beta1.Query. */
import { CodedError } from '../../core/errors.ts'
import { hexToBytes } from '../../core/hex.ts'
import { evidenceQuery } from '../../proto/index.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryHandler } from '../module.ts'
import { takePage } from '../pages.ts'
import { queryRefusal } from '../sdk-errors.ts'
import { packEquivocation } from './equivocation.ts'
import { listEvidence, readEvidence } from './keeper.ts'

/** A hash in hexadecimal digits, with room for what others may call one. */
const MAX_TEXT = 128

const parseHash = (text: string): Uint8Array => {
  if (text === '') throw queryRefusal('invalidArgument', 'invalid request; hash is empty')
  if (text.length > MAX_TEXT) throw queryRefusal('invalidArgument', 'invalid evidence hash: too long')
  try {
    return hexToBytes(text.startsWith('0x') ? text : `0x${text}`)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', `invalid evidence hash: ${error.message}`)
  }
}

const { method } = evidenceQuery.Query

export const evidenceQueries: readonly QueryHandler[] = [
  handleQuery(method.evidence, ({ state }, { hash }) => {
    const encoded = readEvidence(state, parseHash(hash))
    if (encoded === undefined) throw queryRefusal('notFound', `evidence ${hash} not found`)
    return { evidence: packEquivocation(encoded) }
  }),
  handleQuery(method.allEvidence, ({ state }, request) => {
    const { items, pagination } = takePage(
      request.pagination,
      (start) => listEvidence(state, start),
      ([hash]) => hash,
    )
    return { evidence: items.map(([, encoded]) => packEquivocation(encoded)), pagination }
  }),
]
