/** The Solidity interfaces, and a contract that solc 0.8.37 has compiled against them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Abi,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { describe, expect, it } from 'vitest'
import type { Address } from '../../core/address.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import type { Engine, ExecutionResult } from '../../evm/engine.ts'
import { formatOperator } from '../../modules/validator-addresses.ts'
import { PRECOMPILE_ABIS, PRECOMPILE_ADDRESSES } from '../../packages/precompiles/index.ts'
import { ALICE, BOB, engines, FIRST, FUNDS, NAT, STAKE, World } from './world.ts'

const root = join(import.meta.dirname, '../..')
const readText = (path: string): string => readFileSync(join(root, path), 'utf8')

const recorded = JSON.parse(readText('app/precompiles/testing/selectors.json')) as Record<
  string,
  Record<string, string>
>

const INTERFACES = {
  bech32: 'IBech32',
  staking: 'IStaking',
  distribution: 'IDistribution',
  bank: 'IBank',
  gov: 'IGov',
  slashing: 'ISlashing',
  clob: 'IClob',
  erc20: 'IErc20Converter',
  bridge: 'IBridge',
} as const

const sourceOf = (name: string): string =>
  readText(`packages/precompiles/solidity/${name}.sol`)
    .replaceAll(/\/\/.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (memory|calldata) /g, ' ')
    // An enumeration is a number of eight bits.
    .replaceAll('BondStatus status', 'uint8 status')

/** Structs, functions and events, as viem reads them. */
const abiOf = (name: string): Abi => {
  const own = sourceOf(name)
  const structs = `${sourceOf('Types')} ${own}`.match(/struct \w+ \{[^}]*\}/g) ?? []
  const entries = own.match(/(?:function|event) [^;]*;/g) ?? []
  return parseAbi([
    ...structs,
    ...entries.map((entry) => entry.slice(0, -1).replaceAll(/\( /g, '(').replaceAll(/ \)/g, ')')),
  ])
}

const selectorOf = (entry: Abi[number]): readonly (readonly [string, string])[] => {
  if (entry.type === 'function') return [[entry.name, toFunctionSelector(entry)]]
  return entry.type === 'event' ? [[entry.name, toEventSelector(entry)]] : []
}

describe.each(Object.entries(INTERFACES))('the interface of %s', (name, file) => {
  it('has the selectors and topics of cosmos/evm, or of what is published here alone; all of them and no others', () => {
    const published = PRECOMPILE_ABIS[name as keyof typeof INTERFACES] as Abi
    const wanted = recorded[name] ?? Object.fromEntries(published.flatMap(selectorOf))
    const found = abiOf(file).flatMap((entry) =>
      entry.type === 'function' ? [toFunctionSelector(entry)] : entry.type === 'event' ? [toEventSelector(entry)] : [],
    )
    expect(found.toSorted()).toEqual(Object.values(wanted).toSorted())
  })

  it('names the address that the precompile answers at', () => {
    const [, place] = /constant \w+ = \w+\((0x[0-9a-fA-F]{40})\)/.exec(sourceOf(file)) ?? []
    expect(place).toBe(PRECOMPILE_ADDRESSES[name as keyof typeof PRECOMPILE_ADDRESSES])
  })
})

const VAULT = JSON.parse(readText('test/precompiles/contracts/vault.json')) as { abi: Abi; bytecode: `0x${string}` }
const FIRST_TEXT = formatOperator(FIRST)

class Vault {
  readonly world = new World()
  readonly #engine: Engine
  address: Address = ALICE

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async create(): Promise<void> {
    const message = { to: undefined, value: 100n * NAT, data: hexToBytes(VAULT.bytecode) }
    const { createdAddress, failure } = await this.world.execute(this.#engine, message)
    expect(failure).toBeUndefined()
    this.address = createdAddress ?? ALICE
  }

  send(functionName: string, ...args: readonly unknown[]): Promise<ExecutionResult> {
    const data = hexToBytes(encodeFunctionData({ abi: VAULT.abi, functionName, args }))
    return this.world.execute(this.#engine, { to: this.address, data })
  }

  async read(functionName: string, ...args: readonly unknown[]): Promise<unknown> {
    const { returnData, failure } = await this.send(functionName, ...args)
    expect(failure).toBeUndefined()
    return decodeFunctionResult({ abi: VAULT.abi, functionName, data: bytesToHex(returnData) })
  }
}

describe.each([
  ['the interpreter', 0],
  ['the reference', 1],
] as const)('a contract of solc in %s', async (_, index) => {
  const engine = (await engines())[index]
  const open = async (): Promise<Vault> => {
    const vault = new Vault(engine)
    await vault.create()
    return vault
  }

  it('stakes what it holds, and reads it back', async () => {
    const vault = await open()
    const { failure, logs, nativeEvents } = await vault.send('stake', FIRST_TEXT, 30n * NAT)
    expect(failure).toBeUndefined()
    expect(logs.map(({ address }) => bytesToHex(address))).toEqual([PRECOMPILE_ADDRESSES.staking])
    expect(nativeEvents.map(({ type }) => type)).toContain('delegate')
    expect(vault.world.state.account(vault.address)?.balance).toBe(70n * NAT)
    expect(await vault.read('delegated', FIRST_TEXT)).toEqual([
      30n * NAT * 10n ** 18n,
      { denom: 'anat', amount: 30n * NAT },
    ])
    expect(await vault.read('staked')).toBe(30n * NAT)
  })

  it('takes stake, events and logs back with its own revert', async () => {
    const vault = await open()
    const result = await vault.send('stakeAndRevert', FIRST_TEXT, 30n * NAT)
    expect(decodeErrorResult({ abi: VAULT.abi, data: bytesToHex(result.returnData) }).args).toEqual(['changed my mind'])
    expect([result.logs, result.nativeEvents]).toEqual([[], []])
    expect(vault.world.state.account(vault.address)?.balance).toBe(100n * NAT)
    expect(await vault.read('delegated', FIRST_TEXT)).toEqual([0n, { denom: 'anat', amount: 0n }])
  })

  it('keeps the one of two inner calls that did not revert', async () => {
    const vault = await open()
    const result = await vault.send('stakeTwice', FIRST_TEXT, 10n * NAT)
    expect(result.failure).toBeUndefined()
    expect(result.logs.length).toBe(1)
    expect(result.nativeEvents.filter(({ type }) => type === 'delegate').length).toBe(1)
    expect(await vault.read('staked')).toBe(10n * NAT)
    expect(await vault.read('reason')).toBe('changed my mind')
    expect(vault.world.state.account(vault.address)?.balance).toBe(90n * NAT)
  })

  it('catches what a precompile says when it refuses', async () => {
    const vault = await open()
    expect((await vault.send('stakeForAnother', bytesToHex(BOB), FIRST_TEXT)).failure).toBeUndefined()
    expect(await vault.read('reason')).toContain('does not match the requester address')
    expect(await vault.read('nativeSupply')).toBe(5n * FUNDS + 2n * STAKE)
  })

  it('withdraws its rewards', async () => {
    const vault = await open()
    await vault.send('stake', FIRST_TEXT, 50n * NAT)
    vault.world.nextBlock()
    const gift = [bytesToHex(BOB), FIRST_TEXT, [{ denom: 'anat', amount: 10n * NAT }]] as const
    await vault.world.call(engine, 'distribution', 'depositValidatorRewardsPool', gift, { from: BOB })
    const claimed = (await vault.read('claim', FIRST_TEXT)) as readonly { denom: string; amount: bigint }[]
    expect(claimed[0]?.denom).toBe('anat')
    expect(vault.world.state.account(vault.address)?.balance).toBe(50n * NAT + (claimed[0]?.amount ?? 0n))
    expect(claimed[0]?.amount).toBeGreaterThan(0n)
  })
})
