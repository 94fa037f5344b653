import { expect, it } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import { sha256 } from '../../core/hash.ts'
import { encodeEvents } from '../../proto/encode-exec-tx-result.ts'
import type { Candidate } from '../block/candidate.ts'
import { type AppliedTransaction, invalid, NO_RESULT, type TransactionOutcome } from '../block/transaction.ts'
import type { TransactionResult } from '../ports.ts'
import { blockOutcomeOf, decodeBlockOutcome } from './block-outcome.ts'
import { nativeResultsOf } from './native-results.ts'

const applied = (result: TransactionResult, more: Partial<AppliedTransaction>): TransactionOutcome => ({
  kind: 'applied',
  gasUsed: 0n,
  weight: 0,
  workGas: 0n,
  ethereum: undefined,
  result: () => result,
  storedHash: () => undefined,
  ...more,
})

const event = (type: string) => ({ type, attributes: [{ key: 'Zürich', value: '', index: true }] })
const inEthereumBlock = {} as AppliedTransaction['ethereum']

const encode = (
  outcomes: readonly (readonly [TransactionOutcome, TransactionResult])[],
  more: Partial<Candidate['response']> = {},
): Uint8Array => {
  const response = {
    transactionResults: outcomes.map(([, result]) => result),
    events: [],
    validatorUpdates: [],
    consensusParameterUpdates: undefined,
    ...more,
  }
  const candidate = { outcomes: outcomes.map(([outcome]) => outcome), response } as unknown as Candidate
  return blockOutcomeOf(candidate, nativeResultsOf(candidate))
}

it('what no receipt and no native result tells of a block is read as it was written', () => {
  const refused: TransactionResult = { ...NO_RESULT, code: 5, codespace: 'evm', log: 'nonce too low' }
  const ethereum: TransactionResult = { ...NO_RESULT, gasWanted: 9n, gasUsed: 7n, events: encodeEvents([event('a')]) }
  const failed: TransactionResult = { ...ethereum, log: 'execution reverted: ü' }
  const further: TransactionResult = { ...ethereum, data: Uint8Array.of(1, 2) }
  const record = encode(
    [
      [applied(NO_RESULT, {}), NO_RESULT],
      [applied(ethereum, { ethereum: inEthereumBlock }), ethereum],
      [invalid(new CodedError('evm', 5, 'nonce too low')), refused],
      [applied(failed, { ethereum: inEthereumBlock }), failed],
      // The native result has it.
      [applied(failed, { ethereum: inEthereumBlock, storedHash: () => sha256(Uint8Array.of(1)) }), failed],
      // The family of this one is found by nothing, and still has something to tell.
      [applied(further, {}), further],
    ],
    {
      events: [event('begin'), event('end')],
      validatorUpdates: [
        { publicKey: new Uint8Array(32).fill(3), power: 2n ** 62n },
        { publicKey: new Uint8Array(32).fill(4), power: 0n },
      ],
    },
  )
  expect(decodeBlockOutcome(record)).toMatchObject({
    events: [event('begin'), event('end')],
    validatorUpdates: [
      { publicKey: new Uint8Array(32).fill(3), power: 2n ** 62n },
      { publicKey: new Uint8Array(32).fill(4), power: 0n },
    ],
    results: [
      { index: 2, result: { ...refused, events: [] } },
      { index: 3, result: { ...NO_RESULT, events: [], log: failed.log } },
      { index: 5, result: { ...further, events: [event('a')] } },
    ],
  })
})

it('a block without anything to tell has a record, too', () => {
  expect(decodeBlockOutcome(encode([]))).toEqual({ events: [], validatorUpdates: [], results: [] })
})
