import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { bank, bankQuery, bankTx } from '../../proto/index.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { seeded } from '../../test/sim/random.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import { GAS_PER_ENTRY } from './gas.ts'
import { BANK_ADDRESS, mint } from './keeper/balances.ts'
import { DEFAULT_METADATA, metadataFault } from './keeper/metadata.ts'
import { bankModule } from './module.ts'
import {
  checkSendEnabled,
  readDefaultSendEnabled,
  readSendEnabled,
  writeDefaultSendEnabled,
  writeSendEnabled,
} from './keeper/send-enabled.ts'

const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const AUTHORITY = encodeBech32(GOVERNANCE_ADDRESS)
const module = bankModule.create({ accounts: () => [], isBlockedReceiver: (each) => each[0] === 9 })
const context = (state: Overlay) => ({ state, height: 1, timeNs: 0n, chainId: 'x', emit: () => undefined })

const makeState = (genesis: unknown = {}): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  module.initGenesis(context(state), genesis)
  return state
}
const all = (of: Overlay) => of.values(BANK_ADDRESS, new Uint8Array(0), 1_000)

/** Returns the gas beside the flat price. */
const run = <Desc extends DescMessage>(desc: Desc, init: MessageInitShape<Desc>, state = makeState()): bigint => {
  const handler = module.messages.find(({ typeUrl }) => typeUrl === `/${desc.typeName}`)
  if (handler === undefined) throw new TypeError(`no handler for ${desc.typeName}`)
  const message = handler.decode(toBinary(desc, create(desc, init)))
  const prepared = handler.prepare(message)
  let gas = 0n
  const consumeGas = (amount: bigint): void => {
    gas += amount
  }
  handler.execute({ ...context(state), consumeGas }, prepared)
  return gas
}

const ask = <Input extends DescMessage, Output extends DescMessage>(
  state: Overlay,
  { name, input, output }: { readonly name: string; readonly input: Input; readonly output: Output },
  request: MessageInitShape<Input>,
): MessageShape<Output> => {
  const handler = module.queries.find(({ path }) => path === `/cosmos.bank.v1beta1.Query/${name}`)
  if (handler === undefined) throw new TypeError(`no handler for ${name}`)
  return fromBinary(output, handler.query(context(state), toBinary(input, create(input, request))))
}

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

const { method } = bankQuery.Query
const entry = (denom: string, enabled = true) => ({ denom, enabled })

/** Names and texts of cosmos-sdk x/bank/keeper/msg_server_test.go. */
describe('TestMsgSetSendEnabled of x/bank', () => {
  type Init = MessageInitShape<typeof bankTx.MsgSetSendEnabledSchema>
  const bad = 'sdk/18 invalid SendEnabled denom "not a denom": invalid denom: not a denom: invalid request'
  it.each<readonly [string, Init, string]>([
    ['all good', { sendEnabled: [entry('atom1')] }, 'accepted'],
    [
      'all good with two denoms',
      { sendEnabled: [entry('atom1'), entry('atom2')], useDefaultFor: ['defcoinc', 'defcoind'] },
      'accepted',
    ],
    [
      'duplicate denoms',
      { sendEnabled: [entry('atom'), entry('atom')] },
      'sdk/18 duplicate denom entries found for "atom": invalid request',
    ],
    ['bad first denom name', { sendEnabled: [entry('not a denom'), entry('somecoin')] }, bad],
    ['bad second denom name', { sendEnabled: [entry('somecoin'), entry('not a denom')] }, bad],
    [
      'invalid UseDefaultFor denom',
      { sendEnabled: [entry('atom')], useDefaultFor: ['not a denom'] },
      'sdk/18 invalid UseDefaultFor denom "not a denom": invalid denom: not a denom: invalid request',
    ],
    ['invalid authority', { authority: 'invalid', sendEnabled: [entry('atom')] }, 'sdk/7 invalid authority'],
  ])('%s', (_, init, outcome) => {
    expect(refusal(() => run(bankTx.MsgSetSendEnabledSchema, { authority: AUTHORITY, ...init }))).toContain(outcome)
  })

  it('is paid by the entry, and an entry that is named twice follows the default', () => {
    const state = makeState()
    const first = { authority: AUTHORITY, sendEnabled: [entry('foo', false), entry('bar')] }
    expect(run(bankTx.MsgSetSendEnabledSchema, first, state)).toBe(2n * GAS_PER_ENTRY)
    expect(['foo', 'bar', 'other'].map((denom) => readSendEnabled(state, denom))).toEqual([false, true, undefined])
    run(bankTx.MsgSetSendEnabledSchema, { ...first, useDefaultFor: ['foo', 'never'] }, state)
    expect(readSendEnabled(state, 'foo')).toBeUndefined()
    expect(ask(state, method.sendEnabled, {}).sendEnabled).toMatchObject([entry('bar')])
    expect(ask(state, method.sendEnabled, { denoms: ['foo', 'bar'] })).toMatchObject({ sendEnabled: [entry('bar')] })
    expect(refusal(() => ask(state, method.sendEnabled, { denoms: Array<string>(1_001).fill('x') }))).toContain(
      'grpc/3',
    )
  })
})

describe('TestMsgUpdateParams of x/bank', () => {
  type Init = MessageInitShape<typeof bankTx.MsgUpdateParamsSchema>
  it.each<readonly [string, Init, string]>([
    ['invalid authority', { authority: 'invalid', params: {} }, 'sdk/7 invalid authority'],
    [
      'send enabled param',
      { params: { sendEnabled: [entry('foo')] } },
      'sdk/18 use of send_enabled in params is no longer supported',
    ],
    ['all good', { params: { defaultSendEnabled: true } }, 'accepted'],
    ['no params', {}, 'sdk/18 all parameters must be present'],
  ])('%s', (_, init, outcome) => {
    expect(refusal(() => run(bankTx.MsgUpdateParamsSchema, { authority: AUTHORITY, ...init }))).toContain(outcome)
  })
})

describe('TestSendEnabled of x/bank', () => {
  const coins = (...denoms: readonly string[]) => denoms.map((denom) => ({ denom, amount: 1n }))

  it('follows the default where there is no entry', () => {
    const state = makeState()
    checkSendEnabled(state, coins('foocoin', 'barcoin', 'stake'))
    run(bankTx.MsgUpdateParamsSchema, { authority: AUTHORITY, params: { defaultSendEnabled: false } }, state)
    writeSendEnabled(state, 'foocoin', true)
    checkSendEnabled(state, coins('foocoin'))
    expect(ask(state, method.params, {}).params).toMatchObject({ defaultSendEnabled: false, sendEnabled: [] })
    for (const list of [coins('foocoin', 'stake'), coins('stake', 'barcoin'), coins('stake')]) {
      expect(refusal(() => checkSendEnabled(state, list))).toBe(
        'bank/5 stake transfers are currently disabled: send transactions are disabled',
      )
    }
  })

  it('stops both messages before anything else of the state is looked at', () => {
    const state = makeState()
    mint(state, address(1), { denom: 'foocoin', amount: 5n })
    writeSendEnabled(state, 'foocoin', false)
    const [from, to] = [encodeBech32(address(1)), encodeBech32(address(9))]
    const amount = [{ denom: 'foocoin', amount: '1' }]
    const disabled = 'bank/5 foocoin transfers are currently disabled'
    const send = { fromAddress: from, toAddress: to, amount }
    expect(refusal(() => run(bankTx.MsgSendSchema, send, state))).toContain(disabled)
    const multiSend = { inputs: [{ address: from, coins: amount }], outputs: [{ address: to, coins: amount }] }
    expect(refusal(() => run(bankTx.MsgMultiSendSchema, multiSend, state))).toContain(disabled)
    writeSendEnabled(state, 'foocoin', undefined)
    expect(refusal(() => run(bankTx.MsgSendSchema, send, state))).toContain('is not allowed to receive funds')
  })
})

/** Every case of cosmos-sdk x/bank/types/metadata_test.go, TestMetadataValidate. */
describe('TestMetadataValidate of x/bank', () => {
  type Unit = readonly [denom: string, exponent: number, aliases?: readonly string[]]
  const UATOM: Unit = ['uatom', 0, ['microatom']]
  const MATOM: Unit = ['matom', 3, ['milliatom']]
  const ATOM: Unit = ['atom', 6]
  const make = (units: readonly Unit[], rest: MessageInitShape<typeof bank.MetadataSchema> = {}) =>
    create(bank.MetadataSchema, {
      name: 'Cosmos Hub Atom',
      symbol: 'ATOM',
      description: 'The native staking token of the Cosmos Hub.',
      denomUnits: units.map(([denom, exponent, aliases = []]) => ({ denom, exponent, aliases: [...aliases] })),
      base: 'uatom',
      display: 'atom',
      ...rest,
    })
  it.each<readonly [string, bank.Metadata, string | undefined]>([
    ['non-empty coins', make([UATOM, MATOM, ATOM]), undefined],
    ['base coin is display coin', make([['atom', 0, ['ATOM']]], { base: 'atom' }), undefined],
    ['empty metadata', create(bank.MetadataSchema), 'name field cannot be blank'],
    ['blank name', make([], { name: '' }), 'name field cannot be blank'],
    ['blank symbol', make([], { symbol: ' ' }), 'symbol field cannot be blank'],
    ['invalid base denom', make([], { base: '' }), 'invalid metadata base denom: invalid denom: '],
    ['invalid display denom', make([], { display: '' }), 'invalid metadata display denom: invalid denom: '],
    ['duplicate denom unit', make([UATOM, ['uatom', 1]]), 'duplicate denomination unit uatom'],
    ['invalid denom unit', make([UATOM, ['', 3]]), 'invalid denom unit: invalid denom: '],
    ['invalid denom unit alias', make([['uatom', 0, ['']]]), 'alias for denom unit uatom cannot be blank'],
    ['duplicate denom unit alias', make([['uatom', 0, ['a', 'a']]]), 'duplicate denomination unit alias a'],
    [
      'no base denom unit',
      make([MATOM, ATOM]),
      "metadata's first denomination unit must be the one with base denom 'uatom'",
    ],
    ['base denom exponent not zero', make([['uatom', 1]]), 'the exponent for base denomination unit uatom must be 0'],
    ['no display denom unit', make([UATOM]), "metadata must contain a denomination unit with display denom 'atom'"],
    ['denom units not sorted', make([UATOM, ATOM, MATOM]), 'denom units should be sorted asc by exponent'],
  ])('%s', (_, metadata, fault) => {
    expect(metadataFault(metadata)).toBe(fault)
  })

  it('finds nothing wrong with that of NAT', () => {
    expect(DEFAULT_METADATA.map(metadataFault)).toEqual([undefined])
  })
})

const IBC = {
  description: 'A token of another chain',
  denom_units: [
    { denom: 'ibc/27', exponent: 0, aliases: ['micro'] },
    { denom: 'other', exponent: 6 },
  ],
  base: 'ibc/27',
  display: 'other',
  name: 'Other',
  symbol: 'OTH',
  uri: 'ipfs://x',
  uri_hash: 'ab',
}

describe('the metadata of the genesis', () => {
  it('is that of NAT where the file has none, and else what the file says', () => {
    expect(ask(makeState(), method.denomsMetadata, {}).metadatas).toEqual(DEFAULT_METADATA)
    const state = makeState({ denom_metadata: [IBC] })
    expect(ask(state, method.denomMetadata, { denom: 'ibc/27' }).metadata).toMatchObject({
      base: 'ibc/27',
      symbol: 'OTH',
      uriHash: 'ab',
      denomUnits: [{ denom: 'ibc/27' }, { denom: 'other', exponent: 6, aliases: [] }],
    })
    expect(refusal(() => ask(state, method.denomMetadataByQueryString, { denom: 'anat' }))).toBe(
      'grpc/5 client metadata for denom anat',
    )
    expect(refusal(() => ask(state, method.denomMetadata, { denom: '1' }))).toBe('grpc/3 invalid denom: 1')
    expect(ask(makeState({ denom_metadata: [] }), method.denomsMetadata, {}).metadatas).toEqual([])
  })

  it('gives balances their display name where that is asked for', () => {
    const state = makeState({ denom_metadata: [IBC] })
    for (const denom of ['ibc/27', 'zzz']) mint(state, address(1), { denom, amount: 5n })
    const request = { address: encodeBech32(address(1)) }
    const shown = (resolveDenom: boolean): readonly string[] =>
      ask(state, method.allBalances, { ...request, resolveDenom }).balances.map(({ denom }) => denom)
    expect(shown(false)).toEqual(['ibc/27', 'zzz'])
    expect(shown(true)).toEqual(['other', 'zzz'])
  })

  it.each([
    [{ denom_metadata: [{ ...IBC, name: '' }] }, 'denom_metadata[0]: name field cannot be blank'],
    [{ denom_metadata: [IBC, IBC] }, 'denom_metadata[1]: duplicate client metadata for denom ibc/27'],
    [{ denom_metadata: [{ ...IBC, extra: 1 }] }, 'denom_metadata[0].extra: unknown field'],
    [{ denom_metadata: [{ ...IBC, name: '\ud800' }] }, 'denom_metadata[0].name: is no valid text'],
    [{ denom_metadata: [{ ...IBC, uri: 'x'.repeat(4_097) }] }, 'denom_metadata[0].uri: has 4097 characters'],
    [{ denom_metadata: [{ ...IBC, denom_units: [{ denom: 'a', exponent: 256 }] }] }, 'exponent: must not be above 255'],
    [{ send_enabled: [entry('foo'), entry('foo')] }, "send_enabled[1].denom: duplicate send enabled found: 'foo'"],
    [{ send_enabled: [{ denom: 'foo', enabled: 1 }] }, 'send_enabled[0].enabled: must be true or false'],
    [{ send_enabled: [entry('1')] }, 'send_enabled[0].denom: invalid denom: 1'],
    [{ params: { send_enabled: [entry('foo')] } }, 'params.send_enabled: is no longer used'],
    [{ params: { default_send_enabled: 'yes' } }, 'params.default_send_enabled: must be true or false'],
  ])('is refused where it is wrong: %j', (genesis, message) => {
    expect(refusal(() => makeState(genesis))).toContain(message)
  })
})

describe('an export of the bank', () => {
  it(
    'begins a chain with equal values after any changes',
    seeded(710, (random) => {
      const denoms = ['aaa', 'ibc/27', 'mmm', 'zzz']
      for (let round = 0; round < 50; round++) {
        const state = makeState(random.chance(50) ? {} : { denom_metadata: random.chance(50) ? [IBC] : [] })
        for (let step = 0; step < 30; step++) {
          const denom = random.pick(denoms)
          if (random.chance(40)) mint(state, address(1 + random.below(4)), { denom, amount: BigInt(random.below(9)) })
          else if (random.chance(50)) writeSendEnabled(state, denom, random.pick([true, false, undefined]))
          else writeDefaultSendEnabled(state, random.chance(50))
        }
        const exported = module.exportGenesis(context(state)) as Record<'balances' | 'supply', Iterable<unknown>>
        const lists = { balances: [...exported.balances], supply: [...exported.supply] }
        const genesis: unknown = JSON.parse(JSON.stringify({ ...exported, ...lists }))
        const again = makeState(genesis)
        expect(all(again)).toEqual(all(state))
        expect(readDefaultSendEnabled(again)).toBe(readDefaultSendEnabled(state))
        for (const { check } of module.invariants) expect(check(context(again))).toBeUndefined()
      }
    }),
  )

  it('begins a chain whose bridge has a denomination that ends as the units of NAT do', () => {
    const state = makeState()
    const denoms = ['bridge/donat', 'bridge/nat', 'bridge/wnat']
    for (const denom of denoms) mint(state, address(1), { denom, amount: 5n })
    const exported = module.exportGenesis(context(state)) as Record<'balances' | 'supply', Iterable<unknown>>
    const lists = { balances: [...exported.balances], supply: [...exported.supply] }
    expect(lists.supply).toEqual(denoms.map((denom) => ({ denom, amount: '5' })))
    expect(all(makeState(JSON.parse(JSON.stringify({ ...exported, ...lists }))))).toEqual(all(state))
  })

  it.each(['nat', 'unat', 'nnat', 'my-nat', 'NAT', 'wei'])('takes %s for a wrong unit', (denom) => {
    const genesis = { balances: [{ address: encodeBech32(address(1)), coins: [{ denom, amount: '5' }] }] }
    expect(refusal(() => makeState(genesis))).toContain(`balances[0].coins[0].denom: wrong denomination ${denom}`)
  })
})
