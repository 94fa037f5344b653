import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ZERO_ADDRESS } from '../../core/address.ts'
import type { CodedError } from '../../core/errors.ts'
import type { ErrorEntry } from '../../core/error-table.ts'
import { EVM_ERRORS } from '../../evm/error-codes.ts'
import * as evm from '../../evm/errors.ts'
import { checkErrors, checkErrorsOf } from '../../scripts/check-errors.ts'
import { staleErrorDocs } from '../../scripts/error-docs.ts'
import { ERROR_LIST } from '../../scripts/error-list.ts'

const root = join(import.meta.dirname, '..', '..')

describe('the list of errors', () => {
  it('has each codespace once', () => {
    const codespaces = ERROR_LIST.map(({ codespace }) => codespace)
    expect(codespaces).toEqual([...new Set(codespaces)])
  })

  it.each(ERROR_LIST)('has each code of $codespace once, and none that was retired', ({ entries, retired }) => {
    const codes = [...Object.values(entries).map(({ code }) => code), ...retired]
    expect(codes).toEqual([...new Set(codes)])
    expect(codes.every((code) => Number.isSafeInteger(code) && code > 0)).toBe(true)
  })

  it.each(ERROR_LIST)('says text, cause and action of every error of $codespace', ({ about, entries }) => {
    expect(about).toMatch(/\.$/)
    for (const [name, { text, cause, action }] of Object.entries(entries)) {
      expect(text, name).not.toBe('')
      for (const sentence of [cause, action]) expect(sentence, name).toMatch(/^[A-Z`].+\.$/)
    }
  })

  it('is what docs/errors.md shows', () => {
    expect(staleErrorDocs()).toEqual([])
  })
})

/** The parts of a form, between which `...` is anything, stand in the message in that order, the first at its start. */
const follows = (form: string, message: string): boolean => {
  let at = 0
  return form.split('...').every((part, index) => {
    const found = message.indexOf(part, at)
    at = found + part.length
    return index === 0 ? found === 0 : found >= 0
  })
}

const hasText = ({ text }: ErrorEntry, message: string): boolean =>
  text.split(' | ').some((form) => follows(form, message))

describe('the texts of the EVM', () => {
  const sender = ZERO_ADDRESS
  const { poolErrors, transitionErrors } = evm
  const errors: readonly CodedError[] = [
    evm.typeNotSupported(),
    evm.typedTransactionTooShort(),
    evm.invalidSender('no such point'),
    evm.invalidChainId(1n, 2n),
    evm.nonceMax(),
    evm.exceedsBlockGasLimit(),
    evm.gasLimitTooHigh(1n, 2n),
    evm.emptyAuthorizationList(),
    poolErrors.initCodeTooLarge(2, 1),
    poolErrors.tipAboveFeeCap(),
    poolErrors.feeCapVeryHigh(),
    poolErrors.tipVeryHigh(),
    poolErrors.intrinsicGasTooLow(1n, 2n),
    poolErrors.floorDataGasTooLow(1n, 2n),
    poolErrors.nonceTooLow(2n, 1n),
    poolErrors.nonceTooHigh(2n, 1n),
    poolErrors.insufficientFunds(1n, 2n),
    transitionErrors.nonceTooHigh(sender, 2n, 1n),
    transitionErrors.nonceTooLow(sender, 1n, 2n),
    transitionErrors.nonceMax(sender, 1n),
    transitionErrors.senderNotEoa(sender, 1),
    transitionErrors.feeCapVeryHigh(sender, 257),
    transitionErrors.tipVeryHigh(sender, 257),
    transitionErrors.tipAboveFeeCap(sender, 2n, 1n),
    transitionErrors.feeCapTooLow(sender, 1n, 2n),
    transitionErrors.blobFeeCapTooLow(sender, 1n, 2n),
    transitionErrors.blobTransactionCreation(),
    transitionErrors.missingBlobHashes(),
    transitionErrors.tooManyBlobs(),
    transitionErrors.invalidBlobHashVersion(0),
    transitionErrors.setCodeCreation(sender),
    transitionErrors.emptyAuthorizationList(sender),
    transitionErrors.insufficientFunds(sender, 1n, 2n),
    transitionErrors.costOverflow(sender),
    transitionErrors.insufficientFundsForTransfer(sender),
    transitionErrors.intrinsicGasTooLow(1n, 2n),
    transitionErrors.floorDataGasTooLow(1n, 2n),
    transitionErrors.initCodeTooLarge(2, 1),
  ]

  it.each(errors)('are those of the list: $message', ({ code, message }) => {
    const entry = Object.values(EVM_ERRORS.entries).find((each) => each.code === code)
    expect(entry !== undefined && hasText(entry, message), message).toBe(true)
  })
})

describe('the checker of codes', () => {
  const messages = (source: string, file = 'app/example.ts'): readonly string[] =>
    checkErrorsOf(file, source).map(({ line, message }) => `${line}: ${message}`)

  it('refuses numbers and codespaces that no table has', () => {
    const source = [
      "throw new CodedError('pool', 3, 'tx underpriced')",
      'throw new CodedError(',
      "  'pool',",
      '  -3,',
      "  'tx underpriced')",
      "throw new CodedError('nowhere', CODES.lost, '')",
      "if (error.codespace === 'nowhere' && error.code === 7) return",
      "return { codespace: 'nowhere', code }",
      'return { code: -32602 }',
      'return { code: -38013 }',
    ].join('\n')
    expect(messages(source)).toEqual([
      '1: a code is a name of a table, not the number 3',
      '2: a code is a name of a table, not the number -3',
      '6: the codespace nowhere has no table in scripts/error-list.ts',
      '7: the codespace nowhere has no table in scripts/error-list.ts',
      '8: the codespace nowhere has no table in scripts/error-list.ts',
      '7: a code is a name of a table, not the number 7',
      '9: the number -32602 of JSON-RPC has a name in core/json-rpc-codes.ts',
      '10: the number -38013 of JSON-RPC has a name in core/json-rpc-codes.ts',
    ])
  })

  it('passes names of tables, errors that are made again, and comments', () => {
    const source = [
      "throw new CodedError('pool', POOL_CODES.underpriced, 'tx underpriced')",
      'return new CodedError(codespace, code, message, data)',
      "// new CodedError('nowhere', 3, '') would be -32602",
      '/** As -32602, -38013. */',
      " * new CodedError('nowhere', 3, '')",
      "return { codespace: '', code: 0 }",
      "const about = 'a code becomes -38000 less the code'",
    ].join('\n')
    expect(messages(source)).toEqual([])
  })

  it('lets the numbers of JSON-RPC stand in their one place, and anything in tests', () => {
    expect(messages('export const JSON_RPC = { parse: -32700 }', 'core/json-rpc-codes.ts')).toEqual([])
    expect(messages("new CodedError('test', 1, '')", 'app/example.test.ts')).toEqual([])
  })

  it('passes the repository itself', () => {
    expect(checkErrors(root)).toEqual([])
  })
})
