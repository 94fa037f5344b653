import { describe, expect, it } from 'vitest'
import { keccak256 } from '../../core/hash.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import { encodeHeader, type Header } from './header.ts'
import type { Receipt } from './receipt.ts'
import {
  decodeBodyItem,
  decodeHeaderRecord,
  decodePosition,
  decodeStoredReceipt,
  readReceiptGas,
  encodeBodyItem,
  encodeHeaderRecord,
  encodeItems,
  encodePosition,
  encodeStoredReceipt,
  type HeaderRecord,
  itemAt,
  itemCount,
} from './records.ts'

const number = (random: Random): number => random.pick([0, 1, 127, 128, 255, 256, random.below(2 ** 31), 2 ** 40 + 1])
const amount = (random: Random): bigint => random.pick([0n, 1n, 127n, 128n, 2n ** 64n - 1n, 2n ** 255n + 7n])

const makeHeader = (random: Random): Header => ({
  parentHash: random.bytes(32),
  miner: random.bytes(20),
  stateRoot: random.bytes(32),
  transactionsRoot: random.bytes(32),
  receiptsRoot: random.bytes(32),
  logsBloom: random.bytes(256),
  number: number(random),
  gasLimit: amount(random),
  gasUsed: amount(random),
  timestamp: number(random),
  extraData: random.bytes(random.pick([0, 32])),
  mixHash: random.bytes(32),
  baseFeePerGas: amount(random),
})

const makeReceipt = (random: Random): Receipt => ({
  type: random.pick([0, 1, 2, 4]),
  succeeded: random.chance(50),
  gasUsed: amount(random),
  cumulativeGasUsed: amount(random),
  effectiveGasPrice: amount(random),
  contractAddress: random.chance(50) ? undefined : random.bytes(20),
  firstLogIndex: number(random),
  logs: Array.from({ length: random.below(4) }, () => ({
    address: random.bytes(20),
    topics: Array.from({ length: random.below(5) }, () => random.bytes(32)),
    data: random.bytes(random.pick([0, 1, 55, 56, 300])),
  })),
})

/** Views into a larger buffer compare as copies do. */
const plain = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    member instanceof Uint8Array ? [...member] : typeof member === 'bigint' ? `${member}n` : member,
  )

describe('records of a block', () => {
  it(
    'are read as they were written',
    seeded(72, (random) => {
      for (let round = 0; round < 200; round++) {
        const header = makeHeader(random)
        const record: HeaderRecord = {
          header,
          hash: keccak256(encodeHeader(header)),
          timeNs: amount(random),
          sizeBytes: number(random),
          transactionCount: number(random),
          logCount: number(random),
          logBytes: number(random),
        }
        expect(plain(decodeHeaderRecord(encodeHeaderRecord(record)))).toBe(plain(record))
        const receipt = makeReceipt(random)
        expect(plain(decodeStoredReceipt(encodeStoredReceipt(receipt)))).toBe(plain(receipt))
        const { gasUsed, effectiveGasPrice } = receipt
        expect(readReceiptGas(encodeStoredReceipt(receipt))).toEqual({ gasUsed, effectiveGasPrice })
        const position = { height: number(random), index: random.below(2 ** 31) }
        expect(decodePosition(encodePosition(position))).toEqual(position)
      }
    }),
  )

  it(
    'hold items that are read one at a time, empty ones too',
    seeded(73, (random) => {
      for (const count of [0, 1, 2, 300]) {
        const items = Array.from({ length: count }, () => random.bytes(random.pick([0, 1, 20, 500])))
        const record = encodeItems(items)
        expect(itemCount(record)).toBe(count)
        expect(items.map((_, index) => plain(itemAt(record, index)))).toEqual(items.map(plain))
        const body = items.map((raw) => ({ sender: random.bytes(20), raw }))
        expect(body.map((item) => plain(decodeBodyItem(encodeBodyItem(item))))).toEqual(body.map(plain))
      }
      expect(itemCount(new Uint8Array(0))).toBe(0)
    }),
  )
})
