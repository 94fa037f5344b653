/** A small assembler: contracts of tests are text, so that no compiler stands between a test and what it runs. */
import { OPCODE } from '../../../evm/opcodes.ts'
import type { Hex } from '../../../core/hex.ts'

const OPCODES: ReadonlyMap<string, number> = new Map(Object.entries(OPCODE))

const byte = (value: number): string => value.toString(16).padStart(2, '0')

const push = (digits: string): string => {
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  return byte(OPCODE.PUSH0 + even.length / 2) + even
}

/**
 * Words: names of instructions, `0x..` and decimal numbers (pushed), `name:` a jump destination, `@name` its place
 * (two bytes), `#ff` raw bytes.
 */
export const assemble = (source: string): Hex => {
  const labels = new Map<string, number>()
  const parts: (string | { readonly label: string })[] = []
  let length = 0
  for (const word of source.trim().split(/\s+/).filter(Boolean)) {
    let part: string | { readonly label: string }
    if (word.startsWith('@')) part = { label: word.slice(1) }
    else if (word.startsWith('#')) part = word.slice(1)
    else if (word.endsWith(':')) {
      labels.set(word.slice(0, -1), length)
      part = byte(OPCODE.JUMPDEST)
    } else if (word.startsWith('0x')) part = push(word.slice(2))
    else if (/^[0-9]+$/.test(word)) part = word === '0' ? byte(OPCODE.PUSH0) : push(BigInt(word).toString(16))
    else {
      const opcode = OPCODES.get(word)
      if (opcode === undefined) throw new TypeError(`no instruction ${word}`)
      part = byte(opcode)
    }
    parts.push(part)
    length += typeof part === 'string' ? part.length / 2 : 3
  }
  const place = (label: string): string => (labels.get(label) ?? Number.NaN).toString(16).padStart(4, '0')
  return `0x${parts.map((part) => (typeof part === 'string' ? part : `61${place(part.label)}`)).join('')}`
}

/** Instructions that put bytes into memory from 0 on. */
export const memory = (hex: string): string => {
  const digits = hex.replace(/^0x/, '')
  const words = digits.match(/.{1,64}/g) ?? []
  return words.map((word, index) => `0x${word.padEnd(64, '0')} ${index * 32} MSTORE`).join(' ')
}

/** Init code that leaves `runtime` as the contract. */
export const deployment = (runtime: Hex): Hex => {
  const size = ((runtime.length - 2) / 2).toString(16).padStart(4, '0')
  return `0x61${size}80600a5f395ff3${runtime.slice(2)}`
}
