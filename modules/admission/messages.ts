/** Messages of governance: it approves operators, takes approvals back, and decides whether they are needed. */
import type { Address } from '../../core/address.ts'
import { CodedError } from '../../core/errors.ts'
import { admissionTx } from '../../proto/index.ts'
import { checkAuthority } from '../authority.ts'
import { handleMessage } from '../handlers.ts'
import type { MessageHandler } from '../module.ts'
import { sdkError } from '../sdk-errors.ts'
import { parseOperator } from '../validator-addresses.ts'
import { operatorApproved, operatorRevoked } from './events.ts'
import { isApproved, setApprovalRequired, setApproved } from './keeper.ts'

interface OperatorMessage {
  readonly authority: string
  readonly operatorAddress: string
}

/** Throws sdk/7 and sdk/4. */
const parse = ({ authority, operatorAddress }: OperatorMessage): Address => {
  checkAuthority(authority)
  try {
    return parseOperator(operatorAddress)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidAddress', `invalid operator address: ${error.message}`)
  }
}

const { method } = admissionTx.Msg

export const ADMISSION_MESSAGES: readonly MessageHandler[] = [
  handleMessage(method.approveOperator, {
    checkStateless: (message) => void parse(message),
    execute: ({ state, emit }, message) => {
      const operator = parse(message)
      if (isApproved(state, operator)) throw sdkError('invalidRequest', 'the operator is approved already')
      setApproved(state, operator, true)
      emit(operatorApproved(operator))
      return {}
    },
  }),
  handleMessage(method.revokeOperator, {
    checkStateless: (message) => void parse(message),
    execute: ({ state, emit }, message) => {
      const operator = parse(message)
      if (!isApproved(state, operator)) throw sdkError('notFound', 'the operator is not approved')
      setApproved(state, operator, false)
      emit(operatorRevoked(operator))
      return {}
    },
  }),
  handleMessage(method.updateParams, {
    checkStateless: ({ authority, params }) => {
      checkAuthority(authority)
      if (params === undefined) throw sdkError('invalidRequest', 'params are missing')
    },
    execute: ({ state }, { params }) => {
      setApprovalRequired(state, params?.approvalRequired === true)
      return {}
    },
  }),
]
