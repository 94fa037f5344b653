import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { DENOMINATION } from '../../core/amounts.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { bankTx } from '../../proto/index.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import type { Event, MessageHandler } from '../module.ts'
import { GAS_PER_TRANSFER } from './gas.ts'
import { mint, readBalance } from './keeper/balances.ts'
import { bankModule } from './module.ts'

const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const text = (byte: number): string => encodeBech32(address(byte))
const BLOCKED = address(9)
const [FROM, TO] = [address(1), address(2)]
const { messages } = bankModule.create({
  accounts: () => [],
  isBlockedReceiver: (each) => each[0] === BLOCKED[0],
})

interface World {
  readonly state: Overlay
  readonly events: Event[]
  gas: bigint
}

const makeWorld = (): World => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  mint(state, FROM, { denom: DENOMINATION, amount: 100n })
  mint(state, FROM, { denom: 'ibc/27', amount: 10n })
  return { state, events: [], gas: 0n }
}

const run = (world: World, typeUrl: string, bytes: Uint8Array): void => {
  const handler = messages.find((each) => each.typeUrl === typeUrl) as MessageHandler
  const prepared = handler.prepare(handler.decode(bytes))
  const context = { state: world.state, height: 1, timeNs: 0n, chainId: 'x' }
  handler.execute(
    {
      ...context,
      emit: (event) => void world.events.push(event),
      consumeGas: (amount) => {
        world.gas += amount
      },
    },
    prepared,
  )
}

type Coins = readonly (readonly [amount: string, denom: string])[]
const coins = (list: Coins) => list.map(([amount, denom]) => ({ amount, denom }))

const send = (world: World, list: Coins, to = text(2), from = text(1)): void => {
  const message = create(bankTx.MsgSendSchema, { fromAddress: from, toAddress: to, amount: coins(list) })
  run(world, '/cosmos.bank.v1beta1.MsgSend', toBinary(bankTx.MsgSendSchema, message))
}

type Party = readonly [address: string, coins: Coins]
const multiSend = (world: World, inputs: readonly Party[], outputs: readonly Party[]): void => {
  const party = ([each, list]: Party) => ({ address: each, coins: coins(list) })
  const message = create(bankTx.MsgMultiSendSchema, { inputs: inputs.map(party), outputs: outputs.map(party) })
  run(world, '/cosmos.bank.v1beta1.MsgMultiSend', toBinary(bankTx.MsgMultiSendSchema, message))
}

const refusal = (call: () => void): readonly [string, number] => {
  try {
    call()
  } catch (error) {
    if (error instanceof CodedError) return [error.codespace, error.code]
    throw error
  }
  return ['', 0]
}

const shown = (events: readonly Event[]) =>
  events.map(({ type, attributes }) => [type, ...attributes.map(({ key, value }) => `${key}=${value}`)])

describe('MsgSend', () => {
  it('moves coins of any denomination, and tells it as the SDK does', () => {
    const world = makeWorld()
    send(world, [
      ['7', 'anat'],
      ['3', 'ibc/27'],
    ])
    const { state } = world
    expect([readBalance(state, FROM, 'anat'), readBalance(state, TO, 'anat')]).toEqual([93n, 7n])
    expect([readBalance(state, FROM, 'ibc/27'), readBalance(state, TO, 'ibc/27')]).toEqual([7n, 3n])
    const amount = 'amount=7anat,3ibc/27'
    expect(shown(world.events)).toEqual([
      ['coin_spent', `spender=${text(1)}`, amount],
      ['coin_received', `receiver=${text(2)}`, amount],
      ['transfer', `recipient=${text(2)}`, `sender=${text(1)}`, amount],
      ['message', `sender=${text(1)}`],
    ])
    expect(world.gas).toBe(GAS_PER_TRANSFER)
  })

  it.each<readonly [string, Coins]>([
    ['none', []],
    ['zero', [['0', 'anat']]],
    ['negative', [['-1', 'anat']]],
    ['no number', [['1e3', 'anat']]],
    ['leading zeros', [['01', 'anat']]],
    ['above 256 bits', [[(2n ** 256n).toString(), 'anat']]],
    ['a denomination that is none', [['1', 'a']]],
    [
      'unsorted',
      [
        ['1', 'ibc/27'],
        ['1', 'anat'],
      ],
    ],
    [
      'twice the same',
      [
        ['1', 'anat'],
        ['1', 'anat'],
      ],
    ],
  ])('refuses coins: %s', (_, list) => {
    expect(refusal(() => send(makeWorld(), list))).toEqual(['sdk', 10])
  })

  it('refuses addresses that are none, receivers that are modules, and what the sender does not have', () => {
    const one: Coins = [['1', 'anat']]
    expect(refusal(() => send(makeWorld(), one, 'nat1nonsense'))).toEqual(['sdk', 7])
    expect(refusal(() => send(makeWorld(), one, text(2), 'cosmos1x'))).toEqual(['sdk', 7])
    expect(refusal(() => send(makeWorld(), one, text(9)))).toEqual(['sdk', 4])
    expect(refusal(() => send(makeWorld(), [['101', 'anat']]))).toEqual(['sdk', 5])
    expect(refusal(() => send(makeWorld(), [['1', 'unknown']]))).toEqual(['sdk', 5])
  })

  it('to oneself changes nothing', () => {
    const world = makeWorld()
    send(world, [['100', 'anat']], text(1))
    expect(readBalance(world.state, FROM, 'anat')).toBe(100n)
  })
})

describe('MsgMultiSend', () => {
  const input = (amount: string): readonly Party[] => [[text(1), [[amount, 'anat']]]]
  const output = (byte: number, amount: string): Party => [text(byte), [[amount, 'anat']]]

  it('moves the coins of one account to several', () => {
    const world = makeWorld()
    multiSend(world, input('30'), [output(2, '10'), output(3, '20')])
    const balances = [1, 2, 3].map((byte) => readBalance(world.state, address(byte), 'anat'))
    expect(balances).toEqual([70n, 10n, 20n])
    expect(shown(world.events).map(([type]) => type)).toEqual([
      'message',
      'coin_spent',
      'coin_received',
      'transfer',
      'coin_received',
      'transfer',
    ])
    expect(world.gas).toBe(GAS_PER_TRANSFER)
  })

  it('is refused as the SDK does it', () => {
    const outputs = [output(2, '10')]
    expect(refusal(() => multiSend(makeWorld(), [], outputs))).toEqual(['bank', 2])
    expect(refusal(() => multiSend(makeWorld(), input('10'), []))).toEqual(['bank', 3])
    expect(refusal(() => multiSend(makeWorld(), input('11'), outputs))).toEqual(['bank', 4])
    expect(refusal(() => multiSend(makeWorld(), [...input('5'), ...input('5')], outputs))).toEqual(['bank', 9])
    expect(refusal(() => multiSend(makeWorld(), input('10'), [output(9, '10')]))).toEqual(['sdk', 4])
    expect(refusal(() => multiSend(makeWorld(), input('0'), [output(2, '0')]))).toEqual(['sdk', 10])
  })

  it('needs the whole sum, also where a part of it comes back', () => {
    expect(refusal(() => multiSend(makeWorld(), input('120'), [output(1, '60'), output(2, '60')]))).toEqual(['sdk', 5])
  })
})
