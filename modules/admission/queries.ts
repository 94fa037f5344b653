/** The read-only gRPC methods of nat.admission.v1.Query. */
import type { Address } from '../../core/address.ts'
import { CodedError } from '../../core/errors.ts'
import { admissionQuery } from '../../proto/index.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryHandler } from '../module.ts'
import { takePage } from '../pages.ts'
import { queryRefusal } from '../sdk-errors.ts'
import { formatOperator, parseOperator } from '../validator-addresses.ts'
import { isApprovalRequired, isApproved, mayCreateValidator, readOperators } from './keeper.ts'

const parse = (text: string): Address => {
  try {
    return parseOperator(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', `invalid operator address: ${error.message}`)
  }
}

const { method } = admissionQuery.Query

export const ADMISSION_QUERIES: readonly QueryHandler[] = [
  handleQuery(method.params, ({ state }) => ({ params: { approvalRequired: isApprovalRequired(state) } })),
  handleQuery(method.operators, ({ state }, request) => {
    const { items, pagination } = takePage(
      request.pagination,
      (start) => readOperators(state, start),
      (operator) => operator,
    )
    return { operatorAddresses: items.map(formatOperator), pagination }
  }),
  handleQuery(method.operator, ({ state }, { operatorAddress }) => {
    const operator = parse(operatorAddress)
    return { approved: isApproved(state, operator), mayCreateValidator: mayCreateValidator(state, operator) }
  }),
]
