/** Programs in words: names of instructions, `PUSH2 0x1234`, `PUSH 300` of the shortest size, `3 * ( ... )` repeats. */
import { OPCODE } from '../../../../evm/opcodes.ts'
import { hexToBytes } from '../../../../core/hex.ts'

const OPCODES: ReadonlyMap<string, number> = new Map(Object.entries(OPCODE))

const byte = (value: number): string => value.toString(16).padStart(2, '0')

const pushed = (text: string): string => {
  const digits = (text.startsWith('0x') ? BigInt(text) : BigInt(Number(text))).toString(16)
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  return byte(OPCODE.PUSH0 + even.length / 2) + even
}

/** Hexadecimal, without 0x. */
const assembleHex = (words: readonly string[]): string => {
  let out = ''
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    if (word === 'PUSH') {
      out += pushed(words[++at] as string)
      continue
    }
    const opcode = OPCODES.get(word)
    if (opcode === undefined) throw new TypeError(`no instruction: ${word}`)
    out += byte(opcode)
    const size = /^PUSH([1-9]\d?)$/.exec(word)?.[1]
    if (size !== undefined)
      out += BigInt(words[++at] as string)
        .toString(16)
        .padStart(2 * Number(size), '0')
  }
  return out
}

/** The code of a program. `N * ( WORDS )` stands for so many copies; copies do not nest. */
export const assemble = (text: string): string => {
  const repeated = text.replaceAll(/(\d+) \* \(([^)]*)\)/g, (_, count: string, words: string) =>
    ` ${words} `.repeat(Number(count)),
  )
  return assembleHex(repeated.trim().split(/\s+/).filter(Boolean))
}

export const toBytes = (hex: string): Uint8Array => hexToBytes(`0x${hex}`)
