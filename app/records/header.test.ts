import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EMPTY_UNCLES_HASH } from '../../core/hash.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../core/hex.ts'
import { decodeHeader, encodeHeader, hashHeader, type Header } from './header.ts'

/** Blocks in replies of geth, each once. */
const readBlocks = (): readonly Record<string, Hex>[] => {
  const path = join(import.meta.dirname, '../../rpc/fixtures/geth-replies.json')
  const fixture = JSON.parse(readFileSync(path, 'utf8')) as readonly { readonly reply: string }[]
  const blocks = new Map<string, Record<string, Hex>>()
  for (const { reply } of fixture.filter((each) => each.reply.includes('"requestsHash"'))) {
    const parsed = JSON.parse(reply) as unknown
    for (const { result } of [parsed].flat() as { result?: Record<string, Hex> }[]) {
      if (result?.['requestsHash'] !== undefined) blocks.set(result['hash'] ?? '', result)
    }
  }
  return [...blocks.values()]
}

const toHeader = (block: Record<string, Hex>): Header => {
  const bytes = (name: string): Uint8Array => hexToBytes(block[name] ?? '0x')
  const integer = (name: string): bigint => BigInt(block[name] ?? '0x0')
  return {
    parentHash: bytes('parentHash'),
    miner: bytes('miner'),
    stateRoot: bytes('stateRoot'),
    transactionsRoot: bytes('transactionsRoot'),
    receiptsRoot: bytes('receiptsRoot'),
    logsBloom: bytes('logsBloom'),
    number: Number(integer('number')),
    gasLimit: integer('gasLimit'),
    gasUsed: integer('gasUsed'),
    timestamp: Number(integer('timestamp')),
    extraData: bytes('extraData'),
    mixHash: bytes('mixHash'),
    baseFeePerGas: integer('baseFeePerGas'),
  }
}

// Headers of geth whose fields of proof of work, blobs, withdrawals and requests are those of this chain.
const blocks = readBlocks()

describe('a header', () => {
  it('has the hash that geth gives it', () => {
    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) {
      const sha3Uncles = bytesToHex(EMPTY_UNCLES_HASH)
      expect(block).toMatchObject({ blobGasUsed: '0x0', difficulty: '0x0', excessBlobGas: '0x0', sha3Uncles })
      const encoded = encodeHeader(toHeader(block))
      expect(bytesToHex(hashHeader(encoded))).toBe(block['hash'])
      expect(encodeHeader(decodeHeader(encoded))).toEqual(encoded)
    }
  })

  it('is decoded as it was encoded', () => {
    const header: Header = {
      ...toHeader(blocks[0] ?? {}),
      parentHash: new Uint8Array(32).fill(1),
      number: 2 ** 45 + 3,
      gasUsed: 255n,
      timestamp: 2 ** 33,
      extraData: new Uint8Array(32).fill(9),
      baseFeePerGas: 2n ** 100n,
    }
    expect(decodeHeader(encodeHeader(header))).toEqual(header)
  })
})
