import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { checksumAddress } from '../../core/address.ts'
import { CodedError } from '../../core/errors.ts'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { createEthereumjsEngine } from '../../evm/reference/create-engine.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { parseStateTests } from '../../evm/statetest/parse-state-test.ts'
import { runStateTest, type StateTestResult } from '../../evm/statetest/run-state-test.ts'
import { TraceWriter } from '../../evm/statetest/trace-writer.ts'
import { decodeTransaction } from '../../evm/transaction/decode-transaction.ts'
import { recoverSender } from '../../evm/transaction/recover-sender.ts'

const readFixture = <Content>(name: string): { readonly source: string; readonly cases: Content[] } =>
  JSON.parse(gunzipSync(readFileSync(new URL(`../fixtures/${name}`, import.meta.url))).toString('utf8')) as {
    source: string
    cases: Content[]
  }

const decide = (raw: Uint8Array): string => {
  try {
    return `ok ${checksumAddress(recoverSender(decodeTransaction(raw)))} ${bytesToHex(keccak256(raw))}`
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    const sender = error.message.startsWith('invalid sender: ')
    return sender ? error.message.replace('invalid sender: ', 'sender ') : `decode ${error.message}`
  }
}

describe('raw transactions, whole and damaged', () => {
  const { source, cases } = readFixture<readonly [string, string]>('geth-transactions.json.gz')

  it(`get the answers recorded from ${source}`, () => {
    expect(cases.length).toBeGreaterThan(150)
    for (const [hex, answer] of cases) expect(decide(hexToBytes(`0x${hex}`)), hex).toBe(answer)
  })
})

describe('traces', () => {
  const { source, cases } = readFixture<{ test: Record<string, unknown>; stderr: string[] }>('geth-traces.json.gz')

  it.each([
    ['the interpreter', createInterpreterEngine],
    ['the reference', createEthereumjsEngine],
  ] as const)(`of %s are line by line those recorded from ${source}`, async (_, createEngine) => {
    expect(cases.length).toBeGreaterThan(80)
    const engine = await createEngine()
    for (const { test, stderr } of cases) {
      const lines: string[] = []
      for (const one of parseStateTests(test)) {
        await runStateTest(engine, one, {
          trace: new TraceWriter((line) => lines.push(line)),
          onCase: ({ stateRoot }) => lines.push(`{"stateRoot": "${stateRoot}"}`),
        })
      }
      expect(lines, Object.keys(test)[0]).toEqual(stderr)
    }
  })
})

describe('edges that random tests found', () => {
  const { source, cases } = readFixture<{
    test: Record<string, unknown>
    stderr: string[]
    results: StateTestResult[]
  }>('geth-edges.json.gz')

  it.each(cases.map(({ test, ...expected }) => ({ name: Object.keys(test)[0], test, ...expected })))(
    `$name: results and trace are those recorded from ${source}`,
    async ({ test, stderr, results }) => {
      const engine = await createInterpreterEngine()
      const lines: string[] = []
      const got: StateTestResult[] = []
      for (const one of parseStateTests(test)) {
        const ran = await runStateTest(engine, one, {
          trace: new TraceWriter((line) => lines.push(line)),
          onCase: ({ stateRoot }) => lines.push(`{"stateRoot": "${stateRoot}"}`),
        })
        got.push(...ran)
      }
      expect(got).toEqual(results)
      expect(lines).toEqual(stderr)
    },
  )
})
