/** Whatever a contract says of itself, the bank can show it. */
import { create } from '@bufbuild/protobuf'
import { encodeAbiParameters } from 'viem'
import { expect, it } from 'vitest'
import { bigintToBytes, concatBytes, padLeft } from '../../core/bytes.ts'
import { hexToBytes } from '../../core/hex.ts'
import { metadataFault } from '../../modules/bank/keeper/metadata.ts'
import { DEFAULT_SYMBOL, describe, MAX_DECIMALS, MOST, readDecimals, readText } from '../../modules/erc20/metadata.ts'
import { bank } from '../../proto/index.ts'
import { type Random, seeded } from '../sim/random.ts'

const TOKEN = new Uint8Array(20).fill(0xab)

const word = (random: Random): Uint8Array => {
  const value = random.pick([0n, 1n, 31n, 32n, 33n, 64n, BigInt(random.below(300)), 2n ** 64n, 2n ** 256n - 1n])
  return padLeft(bigintToBytes(value), 32)
}

/** An honest string, words that lie, or anything. */
const answer = (random: Random): Uint8Array | undefined => {
  const kind = random.below(4)
  if (kind === 0) return undefined
  if (kind === 1) {
    const text = Array.from({ length: random.below(90) }, () => String.fromCodePoint(random.below(0x3000))).join('')
    return hexToBytes(encodeAbiParameters([{ type: 'string' }], [text]))
  }
  if (kind === 2) return random.bytes(random.below(200))
  return concatBytes(...Array.from({ length: random.below(4) }, () => word(random)), random.bytes(random.below(100)))
}

it(
  'metadata of 5,000 answers is valid, bounded and printable',
  seeded(4_803, (random) => {
    for (let i = 0; i < 5_000; i++) {
      const said = {
        ...{ name: 'fallback', symbol: DEFAULT_SYMBOL, decimals: 0 },
        ...readText('name', answer(random)),
        ...readText('symbol', answer(random)),
        ...readDecimals(answer(random)),
      }
      expect(said.name).toMatch(/^[!-~](?:[ -~]*[!-~])?$/)
      expect(said.symbol).toMatch(/^[!-~](?:[ -~]*[!-~])?$/)
      expect(said.name.length <= MOST.name && said.symbol.length <= MOST.symbol).toBe(true)
      expect(said.decimals >= 0 && said.decimals <= MAX_DECIMALS).toBe(true)
      const { base, display, decimals, ...texts } = describe(TOKEN, said)
      const units = [
        { denom: base, exponent: 0 },
        { denom: display, exponent: decimals },
      ].slice(0, display === base ? 1 : 2)
      expect(metadataFault(create(bank.MetadataSchema, { ...texts, base, display, denomUnits: units }))).toBeUndefined()
    }
  }),
)
