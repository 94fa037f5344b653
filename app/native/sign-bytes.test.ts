import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { create, getOption, toBinary, type DescField } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { bytesToUtf8 } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { aminoOptions, tx, txSigning } from '../../proto/index.ts'
import { printAminoDecimal, printAminoDuration, printAminoInteger, printAminoTimestamp } from './amino-scalars.ts'
import { decodeNativeTransaction } from './decode-transaction.ts'
import { TRANSACTION_MESSAGES } from './definitions.ts'
import { signBytesOf } from './sign-bytes.ts'

interface RecordedSignDoc {
  readonly typeUrl: string
  readonly body: string
  readonly authInfo: string
  readonly chainId: string
  readonly accountNumber: string
  readonly sequence: string
  readonly signBytes?: string
  readonly error?: string
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures', 'amino-sign-docs.json'), 'utf8'),
) as readonly RecordedSignDoc[]

const signDocOf = (each: RecordedSignDoc): string => {
  const raw = toBinary(
    tx.TxRawSchema,
    create(tx.TxRawSchema, {
      bodyBytes: Buffer.from(each.body, 'base64'),
      authInfoBytes: Buffer.from(each.authInfo, 'base64'),
    }),
  )
  const data = {
    chainId: each.chainId,
    accountNumber: BigInt(each.accountNumber),
    sequence: BigInt(each.sequence),
  }
  return bytesToUtf8(signBytesOf(decodeNativeTransaction(raw))(txSigning.SignMode.LEGACY_AMINO_JSON, data))
}

describe('amino JSON', () => {
  const names = [...new Set(recorded.map(({ typeUrl }) => typeUrl))]
  it.each(names)('of %s is what the Cosmos SDK signs', (name) => {
    for (const each of recorded.filter(({ typeUrl }) => typeUrl === name)) {
      if (each.error === undefined) expect(signDocOf(each)).toBe(each.signBytes)
      else expect(() => signDocOf(each)).toThrow(CodedError)
    }
  })

  it('is recorded for every message of the SDK that a transaction may carry', () => {
    const missing = [...TRANSACTION_MESSAGES.keys()].filter((typeUrl) => !names.includes(typeUrl))
    // The SDK has no fixtures of cosmos/evm's messages and of this chain's own.
    expect(missing.filter((typeUrl) => !/^\/(cosmos\.evm|nat)\./.test(typeUrl))).toEqual([])
  })

  it('knows every encoding that a definition asks for', () => {
    const fields = [...TRANSACTION_MESSAGES.values()].flatMap(({ fields: all }): readonly DescField[] => all)
    const encodings = new Set(fields.map((field) => getOption(field, aminoOptions.encoding)))
    expect(encodings).toEqual(new Set(['', 'legacy_coins']))
  })

  it('prints numbers and times as Go does', () => {
    expect(printAminoInteger('')).toBe('"0"')
    expect(printAminoDecimal('')).toBe('"0"')
    expect(printAminoDecimal('-1')).toBe('"-0.000000000000000001"')
    expect(printAminoDuration({ seconds: -1n, nanos: -5 })).toBe('"-1000000005"')
    for (const [seconds, nanos] of [
      [0n, 0],
      [951_782_399n, 120_000_000],
      [951_782_400n, 1_000_000],
      [-62_135_596_800n, 0],
      [253_402_300_799n, 999_000_000],
      [4_107_542_399n, 0],
    ] as const) {
      const iso = new Date(Number(seconds) * 1000 + nanos / 1_000_000).toISOString()
      expect(printAminoTimestamp({ seconds, nanos })).toBe(`"${iso.replace(/\.?0+Z$/, 'Z')}"`)
    }
  })

  it.each([
    ['a decimal with a point', () => printAminoDecimal('0.5')],
    ['an integer of hexadecimal digits', () => printAminoInteger('0x10')],
    ['an integer of a thousand digits', () => printAminoInteger('1'.repeat(1_000))],
    ['a decimal beyond 315 bits', () => printAminoDecimal((1n << 315n).toString())],
    ['a time after the year 9999', () => printAminoTimestamp({ seconds: 253_402_300_800n, nanos: 0 })],
    ['negative nanoseconds', () => printAminoTimestamp({ seconds: 0n, nanos: -1 })],
    ['a duration beyond 64 bits', () => printAminoDuration({ seconds: 9_223_372_036n, nanos: 0 })],
  ])('refuses %s', (_, print) => {
    expect(print).toThrow(CodedError)
  })
})
