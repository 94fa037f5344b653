import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secp256k1, Sha256 } from '@cosmjs/crypto'
import { encodeAminoPubkey, encodeSecp256k1Pubkey } from '@cosmjs/amino'
import { describe, expect, it } from 'vitest'
import { bytesToBase64, concatBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { decodeAminoTx, encodeAminoTx } from './index.ts'

interface RecordedTransaction {
  readonly json: string
  readonly binary: string
  readonly decoded?: string
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'fixtures', 'amino-transactions.json'), 'utf8'),
) as readonly RecordedTransaction[]

const fromBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

const SEND = {
  type: 'cosmos-sdk/MsgSend',
  value: { from_address: 'a', to_address: 'b', amount: [{ denom: 'anat', amount: '1' }] },
}

const stdTx = (members: object = {}): string =>
  JSON.stringify({
    type: 'cosmos-sdk/StdTx',
    value: { msg: [SEND], fee: { amount: [], gas: '1' }, signatures: null, memo: '', timeout_height: '0', ...members },
  })

describe('a transaction of the SDK before protobuf', () => {
  it('is encoded as the Cosmos SDK encodes it', () => {
    expect(recorded.length).toBeGreaterThan(100)
    expect(recorded.map(({ json }) => bytesToBase64(encodeAminoTx(json)))).toEqual(recorded.map(({ binary }) => binary))
  })

  it('is decoded as the Cosmos SDK decodes it', () => {
    const made = recorded.map(({ binary }) => decodeAminoTx(fromBase64(binary)))
    expect(made).toEqual(recorded.map(({ json, decoded }) => decoded ?? json))
  })

  it('has keys as CosmJS encodes them', () => {
    const key = Secp256k1.compressPubkey(Secp256k1.makeKeypair(new Sha256(new Uint8Array(1)).digest()).pubkey)
    const pubkey = encodeSecp256k1Pubkey(key)
    const binary = encodeAminoTx(stdTx({ signatures: [{ pub_key: pubkey, signature: '' }] }))
    const amino = encodeAminoPubkey(pubkey)
    expect(Buffer.from(binary).includes(Buffer.from(concatBytes(Uint8Array.of(0x0a, amino.length), amino)))).toBe(true)
  })

  it.each([
    ['no JSON', '{', 'invalid JSON'],
    ['no type', '{}', 'JSON encoding of interfaces require non-empty type field.'],
    ['another type', JSON.stringify(SEND), 'cannot read cosmos-sdk/MsgSend as cosmos-sdk/StdTx'],
    ['no value', '{"type":"cosmos-sdk/StdTx"}', 'a value of struct is of another type'],
    [
      'a message without an amino name',
      stdTx({ msg: [{ type: 'nat/Nothing', value: {} }] }),
      'unrecognized concrete type name nat/Nothing',
    ],
    ['a message of nothing', stdTx({ msg: [{ type: SEND.type }] }), 'a value of struct is of another type'],
    ['a member that nobody knows', stdTx({ other: 1 }), 'unknown field other'],
    ['a 64-bit integer as a number', stdTx({ timeout_height: 1 }), 'a value of varint is of another type'],
    [
      'an integer beyond its bits',
      stdTx({ timeout_height: (1n << 64n).toString() }),
      'a value of varint is of another type',
    ],
    ['a negative one', stdTx({ timeout_height: '-1' }), 'a value of varint is of another type'],
    ['no base64', stdTx({ signatures: [{ signature: '?' }] }), 'a value of bytes is of another type'],
    ['half a character', stdTx({ memo: '\ud800' }), 'a value of text is of another type'],
    ['too much', 'x'.repeat(32_769), '32769 bytes, at most 32768 are allowed'],
  ])('is refused for %s', (_, json, text) => {
    expect(refusal(() => encodeAminoTx(json))).toBe(`grpc/2 ${text}`)
  })

  it('may have as many items as its length allows', () => {
    const coins = Array.from({ length: 6_500 }, () => ({}))
    const json = stdTx({ fee: { amount: coins, gas: '1' } })
    const again = decodeAminoTx(encodeAminoTx(json))
    expect((JSON.parse(again) as { value: { fee: { amount: object[] } } }).value.fee.amount).toHaveLength(6_500)
  })

  it('is refused where it is nested too deep', () => {
    let message: object = SEND
    for (let depth = 0; depth < 40; depth++) {
      message = { type: 'cosmos-sdk/v1/MsgSubmitProposal', value: { messages: [message] } }
    }
    expect(refusal(() => encodeAminoTx(stdTx({ msg: [message] })))).toBe('grpc/2 nested too deep')
  })

  it('is refused with any byte left out, and decodes or is refused with any byte changed', () => {
    const binary = encodeAminoTx(stdTx())
    for (let length = 0; length < binary.length; length++) {
      const cut = binary.subarray(0, length)
      // Between two fields of the transaction a shorter one ends.
      const result = refusal(() => encodeAminoTx(decodeAminoTx(cut)))
      expect(result).toMatch(/^grpc\/2 |^accepted$/)
    }
    for (let at = 0; at < binary.length; at++) {
      for (const bit of [1, 8, 128]) {
        const changed = binary.map((byte, index) => (index === at ? byte ^ bit : byte))
        expect(refusal(() => decodeAminoTx(changed))).toMatch(/^grpc\/2 |^accepted$/)
      }
    }
  })

  it.each([
    ['another prefix', [1, 2, 3, 4], 'unmarshal of cosmos-sdk/StdTx failed: its prefix is another'],
    ['fields out of order', [0x28, 0x28, 0x16, 0xa9, 0x28, 1, 0x22, 1, 0x61], 'field 4 out of order'],
    ['a field twice', [0x28, 0x28, 0x16, 0xa9, 0x28, 1, 0x28, 1], 'field 5 out of order'],
    ['a field that nobody knows', [0x28, 0x28, 0x16, 0xa9, 0x30, 1], 'unexpected field 6 of type 0'],
    [
      'a message that nobody registers',
      [0x28, 0x28, 0x16, 0xa9, 0x0a, 4, 1, 2, 3, 4],
      'unrecognized prefix bytes 1 2 3 4',
    ],
    ['a length beyond its end', [0x28, 0x28, 0x16, 0xa9, 0x22, 0xff, 0xff, 0xff, 0x0f], 'insufficient bytes'],
    ['a number beyond 64 bits', [0x28, 0x28, 0x16, 0xa9, 0x28, ...Array<number>(9).fill(255), 2], 'invalid varint'],
    ['no UTF-8', [0x28, 0x28, 0x16, 0xa9, 0x22, 1, 255], 'a text that is not UTF-8'],
  ])('is refused for %s in binary', (_, bytes, text) => {
    expect(refusal(() => decodeAminoTx(Uint8Array.of(...bytes)))).toBe(`grpc/2 ${text}`)
  })
})
