/** Transactions of every type with one field of their RLP replaced, left out or cut off. */
import { bytesToHex, type Hex, hexToBytes } from '../../../core/hex.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../../core/rlp.ts'
import type { Peer } from './peer.ts'
import { type Fields, Wallet } from './wallet.ts'

const TO: Hex = '0x3333333333333333333333333333333333333333'
const SLOT: Hex = `0x${'11'.repeat(32)}`

/** Nobody's money: what is well-formed is refused for its funds. */
const wallet = new Wallet('edge')
const COMMON: Fields = { to: TO, nonce: 1, value: 5n, data: '0x01', gas: 90_000n }
const accessList = [{ address: TO, storageKeys: [SLOT] }]
const SAMPLES: Readonly<Record<string, Hex>> = {
  legacy: wallet.sign(COMMON),
  'type 1': wallet.sign({ ...COMMON, type: 1, accessList }),
  'type 2': wallet.sign({ ...COMMON, type: 2, accessList }),
  'type 4': wallet.sign({ ...COMMON, type: 4, authorizations: [wallet.authorize(TO, 0n)] }),
}

const bytes = (hex: string): Uint8Array => hexToBytes(hex as Hex)
const REPLACEMENTS: Readonly<Record<string, RlpItem>> = {
  zero: bytes('0x00'),
  'with a leading zero': bytes('0x0001'),
  'of 9 bytes': bytes(`0x${'01'.repeat(9)}`),
  'of 19 bytes': bytes(`0x${'02'.repeat(19)}`),
  'of 33 bytes': bytes(`0x${'01'.repeat(33)}`),
  'the order of the curve': bytes('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'),
  'an empty list': [],
  'a list of a byte': [bytes('0x01')],
  'a list of an address': [bytes(TO)],
  'a list of a list': [[]],
  'a list of an address and no slots': [[bytes(TO), []]],
  'a list of an address and a text': [[bytes(TO), bytes('0x')]],
  'a list of an address and a short slot': [[bytes(TO), [bytes('0x01')]]],
}

/** Texts that are no list, or one that does not end where it should. */
const BROKEN = [
  ...['0xf800', '0xf80180', '0xb800', '0xb80101', '0x8101', '0xc28101', '0xf90001c0', '0xbf', '0xff', '0xf8', '0xc1'],
  ...['0xc2c0', '0x0201', '0x02', '0x0280', '0x02f8', '0x0180', '0x04', '0x0480', '0x00', '0x00c0', '0x7f', '0x7e01'],
  ...['0x8000', '0xef', '0x05', '0xc0c0', '0xc000', '0x02c000', '0x02c0c0', '0xfb00000001c0', '0xbfffffffffffffffff'],
  ...['0xffffffffffffffffff', '0xf8ff', '0x02f8ff'],
]

const envelopeOf = (raw: Hex): { readonly prefix: string; readonly fields: readonly RlpItem[] } => {
  const whole = hexToBytes(raw)
  const isTyped = (whole[0] ?? 0) < 0x80
  const fields = decodeRlp(isTyped ? whole.subarray(1) : whole)
  return { prefix: isTyped ? raw.slice(2, 4) : '', fields: fields as readonly RlpItem[] }
}

/** The mutations by name. */
const mutations = (name: string, raw: Hex): readonly (readonly [string, Hex])[] => {
  const { prefix, fields } = envelopeOf(raw)
  const encode = (items: readonly RlpItem[]): Hex => `0x${prefix}${bytesToHex(encodeRlp(items)).slice(2)}`
  const out: [string, Hex][] = fields.flatMap((_, index) => [
    ...Object.entries(REPLACEMENTS).map(([what, item]): [string, Hex] => [
      `${name}, field ${index} ${what}`,
      encode(fields.with(index, item)),
    ]),
    [`${name} without field ${index}`, encode(fields.toSpliced(index, 1))],
    [`${name} up to field ${index}`, encode(fields.slice(0, index))],
  ])
  out.push([`${name} with a field more`, encode([...fields, bytes('0x01')])])
  for (let end = 4; end < raw.length; end += 30) out.push([`${name} of ${end / 2 - 1} bytes`, raw.slice(0, end) as Hex])
  return out
}

/** Prices of nothing differ, for this chain has a least one of its own. */
const isPrice = (name: string): boolean => / field [12] (?:zero|with a leading zero|of 33|of 9)/.test(name)

export const malformed = async (peer: Peer): Promise<void> => {
  const all = Object.entries(SAMPLES).flatMap(([name, raw]) => mutations(name, raw))
  const raws = [...all.filter(([name]) => !isPrice(name)), ...BROKEN.map((raw) => [raw, raw] as const)]
  for (let at = 0; at < raws.length; at += 100) {
    const part = raws.slice(at, at + 100)
    await peer.note(...part.map(([name, raw]) => [`malformed: ${name}`, 'eth_sendRawTransaction', raw] as const))
  }
}
