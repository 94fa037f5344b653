import { describe, expect, it } from 'vitest'
import { ADDRESS_LENGTH } from '../../core/address.ts'
import { MAX_UINT256, MAX_UINT64 } from '../../core/amounts.ts'
import { CodedError } from '../../core/errors.ts'
import { bytesToHex, hexToBytes, quantityToHex } from '../../core/hex.ts'
import { encodeTransaction } from '../../evm/transaction/encode-transaction.ts'
import { intrinsicGas } from '../../evm/transaction/intrinsic-gas.ts'
import { decodeSigned } from '../../evm/transaction/recover-sender.ts'
import { checkTransaction, feeCap } from '../../evm/transaction/validity.ts'
import { bundlesOf, readBundle, vectorsMissing } from './state-vectors.ts'

interface Expectation {
  readonly hash?: string
  readonly sender?: string
  readonly intrinsicGas: string
  readonly exception?: string
}
interface TransactionTest {
  readonly txbytes: string
  readonly result: Readonly<Record<string, Expectation>>
}

/** The rules of a transaction without blobs or delegation are the same from Shanghai to Cancun; older ones as they come. */
const FORKS = ['Cancun', 'Shanghai', 'Paris', 'London', 'Berlin']
const LIMITS = { chainId: 1n, hardfork: 'cancun', blockGasLimit: MAX_UINT64 } as const

const decide = (txbytes: string): Expectation => {
  const { transaction, hash, sender } = decodeSigned(hexToBytes(txbytes))
  checkTransaction(transaction, LIMITS)
  // No balance is as high: the check of funds refuses these.
  const { gasLimit, value } = transaction
  if (gasLimit * feeCap(transaction) > MAX_UINT256 || value > MAX_UINT256) {
    throw new CodedError('test', 1, 'cost of more than 256 bits')
  }
  expect(sender).toHaveLength(ADDRESS_LENGTH)
  expect(bytesToHex(encodeTransaction(transaction))).toBe(txbytes.toLowerCase())
  return { hash: bytesToHex(hash), sender: bytesToHex(sender), intrinsicGas: quantityToHex(intrinsicGas(transaction)) }
}

const verdict = (txbytes: string): Expectation | CodedError => {
  try {
    return decide(txbytes)
  } catch (error) {
    if (error instanceof CodedError) return error
    throw error
  }
}

const missing = vectorsMissing()
if (missing !== undefined) console.log(missing)

describe.skipIf(missing !== undefined)('TransactionTests', () => {
  const tests = bundlesOf('transaction').flatMap((bundle) =>
    readBundle('transaction', bundle).flatMap(({ path, json }) =>
      Object.values(json as Record<string, TransactionTest>).map((test) => ({ path, test })),
    ),
  )

  it('are 210', () => {
    expect(tests).toHaveLength(210)
  })

  it.each(tests)('$path', ({ test }) => {
    const expected = FORKS.map((fork) => test.result[fork]).find((result) => result !== undefined)
    expect(expected).toBeDefined()
    const got = verdict(test.txbytes)
    if (expected !== undefined && expected.exception === undefined)
      expect(got).toEqual({ ...expected, intrinsicGas: quantityToHex(BigInt(expected.intrinsicGas)) })
    else expect(got).toBeInstanceOf(CodedError)
  })
})
