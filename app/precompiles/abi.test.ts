/** The codec against viem's, and the ABIs against those of cosmos/evm: its selectors and topics are recorded. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  decodeAbiParameters,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  erc20Abi,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { CodedError } from '../../core/errors.ts'
import * as published from '../../packages/precompiles/index.ts'
import { type Pick, seededRandom } from '../../store/testing/seeded-random.ts'
import type { AbiEvent } from './abi/event.ts'
import { AbiReader } from './abi/reader.ts'
import { address, array, bool, bytes, int64, string, tuple, uint256, uint8 } from './abi/types.ts'
import { withdrawCommissionEvent } from './distribution/events.ts'
import { PRECOMPILES } from './index.ts'
import { redelegateEvent } from './staking/events.ts'

const NAMES = ['bech32', 'staking', 'distribution', 'bank', 'gov', 'slashing'] as const
type Name = (typeof NAMES)[number]

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'testing/selectors.json'), 'utf8')) as Record<
  Name,
  Record<string, string>
>

const canonical = ({
  type,
  components,
}: {
  readonly type: string
  readonly components?: readonly unknown[]
}): string =>
  type.startsWith('tuple')
    ? `(${(components as readonly AbiParameter[]).map(canonical).join(',')})${type.slice(5)}`
    : type

const byName = <Entry extends { readonly type: string; readonly name?: string }>(abi: readonly Entry[]): Entry[] =>
  abi.toSorted((a, b) => (`${a.type} ${a.name}` < `${b.type} ${b.name}` ? -1 : 1))

const precompileOf = (name: Name) => {
  const precompile = PRECOMPILES.find((each) => each.name === name)
  if (precompile === undefined) throw new TypeError(name)
  return precompile
}

it('the precompiles are those that are looked at here', () => {
  expect(PRECOMPILES.map(({ name }) => name)).toEqual([...NAMES, 'clob', 'erc20', 'erc20View', 'bridge'])
})

it.each([
  ['clob', published.clobAbi, 14],
  ['erc20', published.converterAbi, 10],
] as const)('%s, which is of this chain alone, is published as it is, at its address', (name, abi, count) => {
  const precompile = PRECOMPILES.find((each) => each.name === name)
  expect(byName(precompile?.abi ?? [])).toEqual(byName(abi as readonly (AbiEvent | AbiFunction)[]))
  expect(bytesToHex(precompile?.address ?? new Uint8Array(0))).toBe(published.PRECOMPILE_ADDRESSES[name])
  // None of another precompile's: who calls the wrong address is told so.
  const selectors = (abi as Abi).flatMap((entry) =>
    entry.type === 'function' ? [toFunctionSelector(entry)] : entry.type === 'event' ? [toEventSelector(entry)] : [],
  )
  const others = Object.values(recorded).flatMap((entries) => Object.values(entries))
  expect([new Set(selectors).size, selectors.filter((selector) => others.includes(selector))]).toEqual([count, []])
})

it('views have the methods and events of ERC-20, as viem has them, and no others', () => {
  const precompile = PRECOMPILES.find(({ name }) => name === 'erc20View')
  const signature = ({ name, inputs }: { readonly name: string; readonly inputs: readonly AbiParameter[] }): string =>
    `${name}(${inputs.map(canonical).join(',')})`
  expect(precompile?.abi.map(signature).toSorted()).toEqual(erc20Abi.map(signature).toSorted())
  for (const entry of erc20Abi) {
    if (entry.type === 'event') continue
    expect(signature(precompile?.method(hexToBytes(toFunctionSelector(entry)))?.json ?? entry)).toBe(signature(entry))
  }
})

describe.each(NAMES)('the precompile %s', (name) => {
  const { abi, address: place, method } = precompileOf(name)

  it('has the selectors and topics of cosmos/evm, all of them and no others', () => {
    const signatures = abi.map((entry) => `${entry.name}(${entry.inputs.map(canonical).join(',')})`)
    expect(signatures.toSorted()).toEqual(Object.keys(recorded[name]).toSorted())
    for (const entry of abi) {
      const known = recorded[name][`${entry.name}(${entry.inputs.map(canonical).join(',')})`] ?? ''
      if (entry.type === 'function') expect(method(hexToBytes(known))?.json).toBe(entry)
      else expect(encodeEventTopics({ abi: [entry] as Abi, eventName: entry.name } as never)[0]).toBe(known)
    }
  })

  it('is published as it is, at its address', () => {
    expect(byName(abi)).toEqual(byName(published.PRECOMPILE_ABIS[name] as readonly (AbiEvent | AbiFunction)[]))
    expect(bytesToHex(place)).toBe(published.PRECOMPILE_ADDRESSES[name])
  })

  it('has the ABI of the sources of cosmos/evm', (context) => {
    const file = join(homedir(), `go/pkg/mod/github.com/cosmos/evm@v0.7.3/precompiles/${name}/abi.json`)
    if (!existsSync(file)) {
      console.log('skipped: the sources of cosmos/evm v0.7.3 are not in the cache of Go modules')
      context.skip()
    }
    const json = JSON.parse(readFileSync(file, 'utf8'), (key, value: unknown) =>
      key === 'internalType' ? undefined : value,
    ) as { abi?: Abi } | Abi
    const source = ('abi' in json ? json.abi : json) as readonly AbiFunction[]
    expect(byName(abi)).toEqual(byName(source))
  })
})

const STRUCT = tuple({
  flag: bool,
  words: array(string),
  nested: array(tuple({ id: uint8, raw: bytes, who: address })),
  pair: tuple({ low: int64, high: uint256 }),
  matrix: array(array(uint256)),
})
const PARAMETERS = STRUCT.json.components as readonly AbiParameter[]

const randomValue = (pick: Pick) => {
  const someBytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => pick(256))
  const list = <Item>(make: () => Item): Item[] => Array.from({ length: pick(4) }, make)
  const big = (): bigint => BigInt(bytesToHex(someBytes(32)))
  return {
    flag: pick(2) === 1,
    words: list(() => 'añ€𝄞x'.repeat(pick(20))),
    nested: list(() => ({ id: BigInt(pick(256)), raw: someBytes(pick(70)), who: someBytes(20) })),
    pair: { low: BigInt(pick(2 ** 32)) * 1_000n - 2n ** 41n, high: big() },
    matrix: list(() => list(big)),
  }
}

const forViem = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (Array.isArray(value)) return value.map(forViem)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === 'id' ? Number(member) : forViem(member)]),
  )
}

describe('the codec', () => {
  it('writes what viem writes, and reads it back, for 300 random values, seed 7', () => {
    const pick = seededRandom(7)
    for (let round = 0; round < 300; round++) {
      const value = randomValue(pick)
      const written = STRUCT.write(value)
      const theirs = encodeAbiParameters(PARAMETERS, Object.values(forViem(value) as object))
      expect(bytesToHex(written)).toBe(theirs)
      expect(STRUCT.read(new AbiReader(written), 0)).toEqual(value)
      expect(decodeAbiParameters(PARAMETERS, written)).toBeDefined()
    }
  })

  const refusal = (read: () => unknown): string => {
    try {
      read()
    } catch (error) {
      if (error instanceof CodedError) return error.message
      throw error
    }
    return 'read'
  }
  const word = (value: bigint): string => value.toString(16).padStart(64, '0')
  const reading = (type: { read(reader: AbiReader, at: number): unknown }, ...words: readonly bigint[]): string =>
    refusal(() => type.read(new AbiReader(hexToBytes(`0x${words.map(word).join('')}`)), 0))

  it('refuses values that do not fit', () => {
    expect(reading(tuple({ a: uint8 }), 256n)).toBe('abi: uint8 out of range')
    expect(reading(tuple({ a: int64 }), 1n << 63n)).toBe('abi: int64 out of range')
    expect(reading(tuple({ a: int64 }), (1n << 256n) - 1n)).toBe('read')
    expect(reading(tuple({ a: bool }), 2n)).toBe('abi: improperly encoded boolean value')
    expect(reading(tuple({ a: address }), 1n << 160n)).toBe('abi: improperly encoded address')
    expect(reading(tuple({ a: uint8 }))).toBe('abi: the data ends too early')
    expect(reading(tuple({ a: string }), 32n, 1n, 0xffn << 248n)).toBe('abi: a string is not UTF-8')
  })

  it('refuses offsets and lengths beyond the data, however large', () => {
    const huge = (1n << 256n) - 32n
    for (const at of [huge, 1n << 64n, 1n << 53n, 65n]) {
      expect(reading(tuple({ a: string }), at, 0n)).not.toBe('read')
      expect(reading(tuple({ a: string }), 32n, at)).not.toBe('read')
      expect(reading(tuple({ a: array(uint256) }), 32n, at)).not.toBe('read')
    }
  })

  it('reads input a bounded number of times, where everything points to the same place', () => {
    // 2,000 strings that are all the one string of 60,000 bytes behind them: 120 MB if they were read.
    const heads = 2_000
    const parts = [word(32n), word(BigInt(heads))]
    for (let index = 0; index < heads; index++) parts.push(word(BigInt(heads * 32)))
    parts.push(word(60_000n), '61'.repeat(60_000))
    const input = hexToBytes(`0x${parts.join('')}`)
    expect(refusal(() => tuple({ a: array(string) }).read(new AbiReader(input), 0))).toBe(
      'abi: parts of the data overlap',
    )
  })

  it('never throws anything but a refusal, for 2,000 random inputs to every method, seed 11', () => {
    const pick = seededRandom(11)
    const methods = PRECOMPILES.flatMap((precompile) =>
      precompile.abi.filter((entry) => entry.type === 'function').map((entry) => entry.inputs),
    )
    for (let round = 0; round < 2_000; round++) {
      const inputs = methods[round % methods.length] ?? []
      const length = pick(12)
      const words = Array.from({ length }, () =>
        word(pick(2) === 0 ? BigInt(pick(20) * 32) : BigInt(pick(2 ** 32)) << 200n),
      )
      const input = hexToBytes(`0x${words.join('')}`)
      const type = tuple(
        Object.fromEntries(inputs.map((parameter, index) => [String.fromCharCode(97 + index), typeOf(parameter)])),
      )
      expect(typeof refusal(() => type.read(new AbiReader(input), 0))).toBe('string')
    }
  })
})

const ELEMENTARY = { address, bool, bytes, int64, string, uint256, uint8 } as const

const typeOf = ({
  type,
  components,
}: AbiEvent['inputs'][number] | { type: string; components?: unknown }): ReturnType<typeof tuple> => {
  if (type.endsWith('[]')) return array(typeOf({ type: type.slice(0, -2), components })) as never
  if (type !== 'tuple') return (ELEMENTARY[type as keyof typeof ELEMENTARY] ?? uint256) as never
  const parts = components as readonly { name: string; type: string }[]
  return tuple(Object.fromEntries(parts.map((part) => [part.name, typeOf(part)]))) as never
}

describe('events', () => {
  const who = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)

  it('have the topics and data that viem expects', () => {
    const values = {
      delegatorAddress: who(1),
      validatorSrcAddress: who(2),
      validatorDstAddress: who(3),
      amount: 4n,
      completionTime: 5n,
    }
    const { topics, data } = redelegateEvent.encode(values)
    const args = forViem(values) as { delegatorAddress: `0x${string}` }
    expect(topics.map(bytesToHex)).toEqual(
      encodeEventTopics({ abi: published.stakingAbi, eventName: 'Redelegate', args }),
    )
    expect(bytesToHex(data)).toBe(encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [4n, 5n]))
  })

  it('hash an indexed string', () => {
    const { topics } = withdrawCommissionEvent.encode({ validatorAddress: 'natvaloper1x', commission: 1n })
    expect(topics.map(bytesToHex)).toEqual(
      encodeEventTopics({
        abi: published.distributionAbi,
        eventName: 'WithdrawValidatorCommission',
        args: { validatorAddress: 'natvaloper1x' },
      }),
    )
  })
})

describe('methods', () => {
  it('are found by the selector that viem writes', () => {
    const data = encodeFunctionData({
      abi: published.stakingAbi,
      functionName: 'delegate',
      args: ['0x0101010101010101010101010101010101010101', 'natvaloper1x', 7n],
    })
    expect(precompileOf('staking').method(hexToBytes(data))?.json.name).toBe('delegate')
  })
})
