/** The member `admission` of app_state. */
import type { Address } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { failAt, parseArray, parseObject, parseString } from '../../core/parse.ts'
import { parseOperator } from '../validator-addresses.ts'

/** Most operators: governance adds to them without a bound. */
const MAX_OPERATORS = 10_000_000

export interface AdmissionGenesis {
  readonly approvalRequired: boolean
  readonly operators: readonly Address[]
}

const parseApproved = (value: unknown, path: string): Address => {
  try {
    return parseOperator(parseString(value, path))
  } catch (error) {
    if (!(error instanceof CodedError) || error.codespace === 'genesis') throw error
    return failAt(path, error.message)
  }
}

/** Anyone may create a validator when nothing is said. Throws genesis/1. */
export const parseAdmissionGenesis = (genesis: unknown, path = 'app_state.admission'): AdmissionGenesis => {
  const object = parseObject(genesis ?? {}, path, ['params', 'operators'])
  const params = parseObject(object['params'] ?? {}, `${path}.params`, ['approval_required'])
  const required = params['approval_required'] ?? false
  const operators = parseArray(object['operators'], `${path}.operators`, MAX_OPERATORS).map((operator, index) =>
    parseApproved(operator, `${path}.operators[${index}]`),
  )
  const seen = new Set(operators.map(bytesToKey))
  if (seen.size !== operators.length) failAt(`${path}.operators`, 'an operator stands in it twice')
  return typeof required === 'boolean'
    ? { approvalRequired: required, operators }
    : failAt(`${path}.params.approval_required`, 'must be true or false')
}
