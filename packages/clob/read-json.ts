/**
 * Reads proto JSON as the node writes it: names of the .proto files or lowerCamelCase, 64-bit integers as text, bytes as base64, enums by
 * name. What is left out has its default. Anything else is an answer that this package does not know.
 */
import { bytesToHex, type Hex } from 'viem'
import { ClobClientError } from './errors.ts'

/** Reads one value; undefined is one that is left out. Throws `answer`. */
export type Read<Type> = (value: unknown, name: string) => Type

const refuse = (name: string, what: string): never => {
  throw new ClobClientError('answer', `${name} of the node's answer is ${what}`)
}

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null

/** Reads a number below 2^53. */
export const readNumber: Read<number> = (value, name) => {
  if (isAbsent(value)) return 0
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : refuse(name, 'no number below 2^53')
}

export const readBigInt: Read<bigint> = (value, name) => {
  if (isAbsent(value) || value === '') return 0n
  return typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : BigInt(readNumber(value, name))
}

export const readText: Read<string> = (value, name) => {
  if (isAbsent(value)) return ''
  return typeof value === 'string' ? value : refuse(name, 'no text')
}

export const readFlag: Read<boolean> = (value, name) => {
  if (isAbsent(value)) return false
  return typeof value === 'boolean' ? value : refuse(name, 'no boolean')
}

export const readBytes: Read<Hex> = (value, name) => {
  const text = readText(value, name)
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return refuse(name, 'no base64')
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return bytesToHex(Uint8Array.from(binary, (character) => character.charCodeAt(0)))
}

/** Reads an enum whose members begin with `prefix`; `names` stand in the order of their numbers. */
export const readEnum =
  <Name extends string>(prefix: string, names: readonly [Name, ...Name[]]): Read<Name> =>
  (value, name) => {
    if (isAbsent(value)) return names[0]
    const found =
      typeof value === 'number'
        ? names[value]
        : names.find((known) => value === prefix + (known === '' ? 'UNSPECIFIED' : known.toUpperCase()))
    return found ?? refuse(name, `${JSON.stringify(value)}, which is unknown`)
  }

export const readList =
  <Item>(read: Read<Item>): Read<readonly Item[]> =>
  (value, name) => {
    if (isAbsent(value)) return []
    return Array.isArray(value) ? value.map((item: unknown) => read(item, name)) : refuse(name, 'no list')
  }

/** A message that may be absent. */
export const readOptional =
  <Type>(read: Read<Type>): Read<Type | undefined> =>
  (value, name) =>
    isAbsent(value) ? undefined : read(value, name)

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Members by their lowerCamelCase names. Those that are not listed are passed over: a newer node may tell more. */
export const readMessage = <Type extends object>(members: { readonly [Name in keyof Type]: Read<Type[Name]> }) => {
  const entries = Object.entries<Read<unknown>>(members).map(([name, read]) => [name, snake(name), read] as const)
  return (value: unknown, what: string): Type => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(what, 'no object')
    const given = value as Readonly<Record<string, unknown>>
    const message = entries.map(([name, other, read]) => [name, read(given[other] ?? given[name], name)])
    return Object.fromEntries(message) as Type
  }
}
