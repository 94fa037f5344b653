/** Tokens of contracts as coins, by native messages: honest tokens, and hostile ones that solc has compiled. */
import { create, type DescMessage, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeFunctionData } from 'viem'
import { bytesToHex } from '../../core/hex.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { printAminoJson } from '../../app/native/amino-json.ts'
import { moduleAddress } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { mint } from '../../modules/bank/index.ts'
import { denomOf, ERC20_ADDRESS } from '../../modules/erc20/index.ts'
import { GOVERNANCE_ADDRESS } from '../../modules/authority.ts'
import { bankQuery, erc20Query, erc20Tx } from '../../proto/index.ts'
import { ALICE, BOB, FUNDS, NAT } from '../precompiles/world.ts'
import { TOKEN_ABI, TokenWorld } from './world.ts'

const engine = await createInterpreterEngine()

const open = async (name: string, text?: Uint8Array, places?: bigint) => {
  const world = new TokenWorld(engine)
  const token = await world.deploy(name, ALICE, text, places)
  expect(world.register(token)).toMatchObject({ answer: {} })
  return { world, token }
}

const AUTHORITY = encodeBech32(GOVERNANCE_ADDRESS)

describe('an honest token', () => {
  it('is registered for a fee with what it says of itself, which the bank shows', async () => {
    const { world, token } = await open('Honest')
    const denom = denomOf(token)
    const shown = { name: 'Honest Token', symbol: 'HON', decimals: 6 }
    expect(world.token(token)).toMatchObject({ ...shown, denom, booked: '0', measured: '0', depositsEnabled: true })
    const { metadata } = world.query(bankQuery.Query.method.denomMetadata, { denom })
    expect(metadata).toMatchObject({ name: 'Honest Token', symbol: 'HON', base: denom, display: `${denom}/HON` })
    expect(metadata?.denomUnits.map(({ exponent }) => exponent)).toEqual([0, 6])
    expect(world.state.account(ALICE)?.balance).toBe(FUNDS - 10n * NAT)
    expect(world.register(token)).toMatchObject({ code: 'erc20/2' })
    expect(world.query(erc20Query.Query.method.token, { token: denom }).token?.denom).toBe(denom)
    expect(world.query(erc20Query.Query.method.tokens, {}).tokens).toHaveLength(1)
  })

  it('goes in and out, to others too, and events tell of it', async () => {
    const { world, token } = await open('Honest')
    const paid = world.deposit(ALICE, token, 1_000n, bytesToHex(BOB))
    expect(paid).toMatchObject({ answer: { credited: '1000' } })
    expect('events' in paid && paid.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['evm_log', 'coinbase', 'erc20_deposit']),
    )
    expect([world.coins(BOB, token), world.supply(token), await world.escrowed(token)]).toEqual([
      1_000n,
      1_000n,
      1_000n,
    ])
    expect(world.token(token)).toMatchObject({ booked: '1000', measured: '1000', measuredHeight: 10n })
    expect(world.withdraw(BOB, token, 400n, encodeBech32(ALICE))).toMatchObject({ answer: {} })
    expect(await world.held(token, ALICE)).toBe(1_000_000n - 600n)
    expect([world.coins(BOB, token), world.supply(token), await world.escrowed(token)]).toEqual([600n, 600n, 600n])
    expect(world.faults()).toEqual([])
  })

  it('is not taken or given beyond what there is, and nothing changes then', async () => {
    const { world, token } = await open('Honest')
    expect(world.deposit(BOB, token, 1n)).toMatchObject({ code: 'erc20/6' })
    world.deposit(ALICE, token, 10n)
    expect(world.withdraw(ALICE, token, 11n)).toMatchObject({ code: 'sdk/5' })
    expect(world.withdraw(BOB, token, 1n)).toMatchObject({ code: 'sdk/5' })
    expect([world.supply(token), await world.escrowed(token)]).toEqual([10n, 10n])
    expect(world.faults()).toEqual([])
  })

  it('goes to no account of a module', async () => {
    const { world, token } = await open('Honest')
    world.deposit(ALICE, token, 10n)
    for (const address of [ERC20_ADDRESS, moduleAddress('gov')]) {
      expect(world.withdraw(ALICE, token, 1n, bytesToHex(address))).toMatchObject({ code: 'sdk/4' })
      expect(world.deposit(ALICE, token, 1n, bytesToHex(address))).toMatchObject({ code: 'sdk/4' })
    }
  })

  it('has one spelling: in lower case or with its checksum', async () => {
    const { world, token } = await open('Honest')
    const fields = { sender: encodeBech32(ALICE), amount: '1' }
    for (const text of [bytesToHex(token).toUpperCase().replace('0X', '0x'), encodeBech32(token), denomOf(token), '']) {
      expect(world.message(erc20Tx.Msg.method.deposit, { ...fields, token: text })).toMatchObject({ code: 'sdk/7' })
    }
    for (const amount of ['', '0', '-1', '1.0', '01', `${2n ** 256n}`]) {
      const wrong = { ...fields, token: bytesToHex(token), amount }
      expect(world.message(erc20Tx.Msg.method.deposit, wrong)).toMatchObject({ code: 'sdk/18' })
    }
  })

  it('that was sent to the escrow by mistake is nobody’s, and covers what is missing', async () => {
    const { world, token } = await open('Honest')
    await world.send(ALICE, token, 'transfer', bytesToHex(ERC20_ADDRESS), 50n)
    expect(world.deposit(ALICE, token, 7n)).toMatchObject({ answer: { credited: '7' } })
    expect([world.supply(token), await world.escrowed(token)]).toEqual([7n, 57n])
  })

  it('costs what its code weighs, and never more than the sender allowed', async () => {
    const { world, token } = await open('Honest')
    const { gasUsed } = world.deposit(ALICE, token, 5n)
    expect(gasUsed).toBeGreaterThan(20_000n)
    expect(world.deposit(ALICE, token, 5n, '', gasUsed / 2n)).toMatchObject({ code: 'sdk/11' })
    expect(world.supply(token)).toBe(5n)
  })
})

describe('signing as amino JSON', () => {
  const token = '0x5a7a6e5d6d3b9c8c9e5ad0b1e3a1f5f1b2c3d4e5'
  const { MsgDepositSchema, MsgWithdrawSchema, MsgUpdateParamsSchema } = erc20Tx

  it('has the names and members of the definitions, and leaves out what is empty', () => {
    const fields = { sender: encodeBech32(ALICE), token, amount: '5' }
    const print = (schema: DescMessage, init: object): unknown =>
      JSON.parse(
        printAminoJson({ typeUrl: `/${schema.typeName}`, value: toBinary(schema, create(schema, init as never)) }),
      )
    expect(print(MsgDepositSchema, fields)).toEqual({ type: 'nat/erc20/MsgDeposit', value: fields })
    const withdrawal = { ...fields, receiver: encodeBech32(BOB) }
    expect(print(MsgWithdrawSchema, withdrawal)).toEqual({ type: 'nat/erc20/MsgWithdraw', value: withdrawal })
    const params = { enabled: true, registrationFee: '0', transferGas: 100_000n, viewGas: 50_000n }
    expect(print(MsgUpdateParamsSchema, { authority: AUTHORITY, params })).toEqual({
      type: 'nat/erc20/MsgUpdateParams',
      value: {
        authority: AUTHORITY,
        params: { enabled: true, registration_fee: '0', transfer_gas: '100000', view_gas: '50000' },
      },
    })
  })
})

describe('governance', () => {
  const settings = { authority: AUTHORITY, name: 'Given', symbol: 'GVN', decimals: 18, depositsEnabled: true }

  it('switches deposits off, never withdrawals', async () => {
    const { world, token } = await open('Honest')
    world.deposit(ALICE, token, 10n)
    const { setToken, updateParams } = erc20Tx.Msg.method
    const off = { ...settings, token: bytesToHex(token), depositsEnabled: false }
    expect(world.message(setToken, off)).toMatchObject({ answer: {} })
    expect(world.token(token)).toMatchObject({ name: 'Given', symbol: 'GVN', decimals: 18, booked: '10' })
    expect(world.deposit(ALICE, token, 1n)).toMatchObject({ code: 'erc20/4' })
    expect(world.withdraw(ALICE, token, 1n)).toMatchObject({ answer: {} })
    world.message(setToken, { ...off, depositsEnabled: true })
    const params = { registrationOpen: true, registrationFee: '0', transferGas: 100_000n, viewGas: 50_000n }
    expect(world.message(updateParams, { authority: AUTHORITY, params: { ...params, enabled: false } })).toMatchObject({
      answer: {},
    })
    expect(world.query(erc20Query.Query.method.params, {}).params).toMatchObject({ ...params, enabled: false })
    expect(world.deposit(ALICE, token, 1n)).toMatchObject({ code: 'erc20/4' })
    expect(world.withdraw(ALICE, token, 1n)).toMatchObject({ answer: {} })
    expect(world.register(await world.deploy('NoReturn'))).toMatchObject({ code: 'erc20/4' })
    expect(world.message(updateParams, { authority: AUTHORITY, params: { ...params, viewGas: 1n } })).toMatchObject({
      code: 'sdk/18',
    })
    expect(world.message(updateParams, { authority: encodeBech32(ALICE), params })).toMatchObject({ code: 'sdk/4' })
  })

  it('makes a token known without calling it, and forgets one of which nothing is owed', async () => {
    const world = new TokenWorld(engine)
    const token = await world.deploy('Honest')
    const { setToken, removeToken } = erc20Tx.Msg.method
    const named = { authority: AUTHORITY, token: bytesToHex(token) }
    expect(world.message(setToken, { ...settings, ...named })).toMatchObject({ answer: {} })
    world.deposit(ALICE, token, 10n)
    expect(world.message(removeToken, named)).toMatchObject({ code: 'erc20/10' })
    world.withdraw(ALICE, token, 10n)
    expect(world.message(removeToken, named)).toMatchObject({ answer: {} })
    expect(world.deposit(ALICE, token, 1n)).toMatchObject({ code: 'erc20/1' })
    expect(() => world.query(bankQuery.Query.method.denomMetadata, { denom: denomOf(token) })).toThrow('metadata')
    const nobody = { ...settings, ...named, token: bytesToHex(BOB) }
    expect(world.message(setToken, nobody)).toMatchObject({ code: 'erc20/3' })
    for (const wrong of [{ name: '' }, { symbol: 'x'.repeat(25) }, { name: 'a\u202eb' }, { decimals: 78 }]) {
      expect(world.message(setToken, { ...settings, ...named, ...wrong })).toMatchObject({ code: 'sdk/18' })
    }
  })
})

describe('a proposal', () => {
  it('calls no contracts: nobody pays for them', async () => {
    const { world, token } = await open('Honest')
    const fields = { sender: AUTHORITY, token: bytesToHex(token), amount: '1' }
    const { deposit, withdraw, registerToken } = erc20Tx.Msg.method
    expect(world.message(deposit, fields, 1_000_000n, true)).toMatchObject({ code: 'erc20/9' })
    expect(world.message(withdraw, fields, 1_000_000n, true)).toMatchObject({ code: 'erc20/9' })
    const register = { sender: AUTHORITY, token: bytesToHex(token) }
    expect(world.message(registerToken, register, 1_000_000n, true)).toMatchObject({ code: 'erc20/9' })
  })
})

describe('registration refuses', () => {
  it('a contract whose coins are there already, for nobody has measured what they are worth', async () => {
    const world = new TokenWorld(engine)
    const token = await world.deploy('Honest')
    mint(world.state, BOB, { denom: denomOf(token), amount: 5n })
    expect(world.register(token)).toMatchObject({ code: 'erc20/10' })
  })

  it.each([
    ['an account without code', () => BOB],
    ['a module', () => moduleAddress('gov')],
    ['a precompile', () => Uint8Array.from([...new Uint8Array(18), 8, 4])],
  ])('%s', (_, address) => {
    expect(new TokenWorld(engine).register(address())).toMatchObject({ code: 'erc20/3' })
  })

  it('a contract that does not answer balanceOf, and one that uses all gas for it', async () => {
    const world = new TokenWorld(engine)
    expect(world.register(await world.deploy('NoBalance'))).toMatchObject({ code: 'erc20/3' })
    const burns = await world.deploy('BurnsGas')
    await world.send(ALICE, burns, 'choose', true)
    const { gasUsed, ...refused } = world.register(burns)
    expect(refused).toMatchObject({ code: 'erc20/3' })
    expect(gasUsed).toBeGreaterThan(100_000n)
    expect(gasUsed).toBeLessThan(1_000_000n)
    expect(world.state.account(ALICE)?.balance).toBe(FUNDS)
  })
})

describe('names of contracts', () => {
  it.each([
    ['long', utf8ToBytes('x'.repeat(800)), 18n, 'x'.repeat(64), 'x'.repeat(24), 18],
    ['of other letters', utf8ToBytes('US\u20ae \u202eTAN'), 6n, 'US? ?TAN', 'US? ?TAN', 6],
    ['no text at all', Uint8Array.of(0xff, 0xfe, 0x41), 6n, '??A', '??A', 6],
    ['empty', new Uint8Array(0), 255n, undefined, 'ERC20', 0],
    ['blank', utf8ToBytes('   '), 2n ** 255n, undefined, 'ERC20', 0],
  ])('that are %s are bounded and plain', async (_, text, places, name, symbol, decimals) => {
    const { world, token } = await open('Names', text, places)
    expect(world.token(token)).toMatchObject({ name: name ?? denomOf(token), symbol, decimals })
  })

  it('may be of 32 bytes, or lie about where they end', async () => {
    const old = await open('NoReturn')
    expect(old.world.token(old.token)).toMatchObject({ name: 'Old Token', symbol: 'OLD', decimals: 0 })
    const lying = await open('LyingName')
    expect(lying.world.token(lying.token)).toMatchObject({ name: denomOf(lying.token), symbol: 'ERC20' })
  })
})

describe('a token that', () => {
  it('returns nothing is taken and given', async () => {
    const { world, token } = await open('NoReturn')
    expect(world.deposit(ALICE, token, 10n)).toMatchObject({ answer: { credited: '10' } })
    expect(world.withdraw(ALICE, token, 10n)).toMatchObject({ answer: {} })
    expect([world.supply(token), await world.escrowed(token)]).toEqual([0n, 0n])
  })

  it.each([
    ['returns false', 'ReturnsFalse', 'erc20/6'],
    ['returns false and moves all the same', 'FalseButMoves', 'erc20/6'],
    ['returns two', 'ReturnsTwo', 'erc20/6'],
    ['returns true and moves nothing', 'TrueButStays', 'erc20/7'],
    ['gives twice as much', 'GivesTwice', 'erc20/7'],
    ['reverts', 'Reverts', 'erc20/6'],
    ['uses all gas', 'BurnsGas', 'erc20/6'],
    ['ends itself', 'Destroys', 'erc20/7'],
  ])('%s makes no coins', async (_, name, code) => {
    const { world, token } = await open(name)
    expect(world.deposit(ALICE, token, 10n)).toMatchObject({ code })
    expect([world.supply(token), await world.escrowed(token), await world.held(token, ALICE)]).toEqual([
      0n,
      0n,
      1_000_000n,
    ])
    expect(world.faults()).toEqual([])
  })

  it('uses all gas costs its sender a bounded part', async () => {
    const { world, token } = await open('BurnsGas')
    const { gasUsed } = world.deposit(ALICE, token, 10n)
    expect(gasUsed).toBeGreaterThan(500_000n)
    expect(gasUsed).toBeLessThan(1_500_000n)
  })

  it('takes a fee is credited with what arrived', async () => {
    const { world, token } = await open('FeeOnTransfer')
    expect(world.deposit(ALICE, token, 100n)).toMatchObject({ answer: { credited: '90' } })
    expect(world.withdraw(ALICE, token, 90n)).toMatchObject({ answer: {} })
    expect([world.supply(token), await world.escrowed(token)]).toEqual([0n, 0n])
  })

  it('takes a fee of its sender cannot be withdrawn at the cost of others', async () => {
    const { world, token } = await open('FeeOfSender')
    expect(world.deposit(ALICE, token, 100n)).toMatchObject({ answer: { credited: '100' } })
    expect(world.withdraw(ALICE, token, 50n)).toMatchObject({ code: 'erc20/7' })
    expect([world.coins(ALICE, token), await world.escrowed(token)]).toEqual([100n, 100n])
    // What is too little for a fee goes.
    expect(world.withdraw(ALICE, token, 9n)).toMatchObject({ answer: {} })
  })

  it('rebases makes no coins, and is held fast while too little is there', async () => {
    const { world, token } = await open('Rebasing')
    world.deposit(ALICE, token, 100n)
    await world.send(ALICE, token, 'rebase', 200n)
    expect(world.supply(token)).toBe(100n)
    await world.send(ALICE, token, 'rebase', 99n)
    expect(world.withdraw(ALICE, token, 1n)).toMatchObject({ code: 'erc20/8' })
    expect(world.deposit(ALICE, token, 50n)).toMatchObject({ code: 'erc20/8' })
    await world.send(ALICE, token, 'transfer', bytesToHex(ERC20_ADDRESS), 10n)
    expect(world.withdraw(ALICE, token, 1n)).toMatchObject({ answer: {} })
    await world.send(ALICE, token, 'rebase', 100n)
    expect(world.withdraw(ALICE, token, 99n)).toMatchObject({ answer: {} })
    expect(world.supply(token)).toBe(0n)
  })

  it('lies makes coins of its own denomination alone, and cannot overflow it', async () => {
    const { world, token } = await open('Liar')
    const honest = await world.deploy('Honest')
    world.register(honest)
    world.deposit(ALICE, honest, 5n)
    const most = 2n ** 256n - 1n
    await world.send(ALICE, token, 'tell', 0n, most)
    expect(world.deposit(ALICE, token, most)).toMatchObject({ answer: { credited: most.toString() } })
    await world.send(ALICE, token, 'tell', 0n, 1n)
    expect(world.deposit(ALICE, token, 1n)).toMatchObject({ code: 'erc20/8' })
    await world.send(ALICE, token, 'tell', most, 1n)
    expect(world.deposit(ALICE, token, 1n)).toMatchObject({ code: 'erc20/7' })
    expect([world.supply(token), world.supply(honest), await world.escrowed(honest)]).toEqual([most, 5n, 5n])
    expect(world.faults()).toEqual([])
  })

  it('ends its answers cannot be withdrawn, and harms nothing else', async () => {
    const { world, token } = await open('BurnsGas')
    await world.send(ALICE, token, 'choose', true)
    expect(world.deposit(ALICE, token, 1n)).toMatchObject({ code: 'erc20/3' })
  })

  it('calls another contract of the chain within a transfer is served, when it calls no converter', async () => {
    const { world, token } = await open('CallsBack')
    const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [bytesToHex(ALICE)] })
    await world.send(ALICE, token, 'aim', bytesToHex(token), data)
    expect(world.deposit(ALICE, token, 10n)).toMatchObject({ answer: { credited: '10' } })
    expect(await world.read(token, 'isDone')).toBe(true)
  })
})
