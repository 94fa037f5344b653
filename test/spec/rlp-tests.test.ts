import { describe, expect, it } from 'vitest'
import { bigintToBytes, utf8ToBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { decodeRlp, encodeRlp, type RlpInput } from '../../core/rlp.ts'
import { readBundle, vectorsMissing } from './state-vectors.ts'

type Json = string | number | readonly Json[]
interface RlpTest {
  readonly in: Json
  readonly out: string
}

const prefixed = (hex: string): string => (hex.startsWith('0x') ? hex : `0x${hex}`)

const toInput = (value: Json): RlpInput => {
  if (typeof value === 'number') return bigintToBytes(BigInt(value))
  if (typeof value === 'string')
    return value.startsWith('#') ? bigintToBytes(BigInt(value.slice(1))) : utf8ToBytes(value)
  return value.map(toInput)
}

const missing = vectorsMissing()
if (missing !== undefined) console.log(missing)

describe.skipIf(missing !== undefined)('RLPTests', () => {
  const tests = (missing === undefined ? readBundle('rlp', 'RLPTests.json.gz') : []).flatMap(({ path, json }) =>
    Object.entries(json as Record<string, RlpTest>).map(([name, test]) => ({ path, name, test })),
  )

  it('are 55', () => {
    expect(tests).toHaveLength(55)
  })

  it.each(tests)('$path $name', ({ test }) => {
    const bytes = hexToBytes(prefixed(test.out))
    if (test.in === 'INVALID') {
      expect(() => decodeRlp(bytes)).toThrow(CodedError)
      return
    }
    if (test.in !== 'VALID') expect(bytesToHex(encodeRlp(toInput(test.in)))).toBe(bytesToHex(bytes))
    expect(bytesToHex(encodeRlp(decodeRlp(bytes)))).toBe(bytesToHex(bytes))
  })
})
