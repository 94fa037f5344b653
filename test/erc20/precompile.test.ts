/** The converter for wallets and contracts: 0x901, in frames of the EVM. */
import { encodeFunctionData, parseEventLogs } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Address, checksumAddress, parseAddress, ZERO_ADDRESS } from '../../core/address.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { ERC20_ADDRESS } from '../../modules/erc20/index.ts'
import { converterAbi, PRECOMPILE_ADDRESSES } from '../../packages/precompiles/index.ts'
import { ALICE, BOB, type CallOptions, CONTRACT, engines, FUNDS, NAT } from '../precompiles/world.ts'
import { TOKEN_ABI, TokenWorld } from './world.ts'

const engine = await createInterpreterEngine()
const CONVERTER = parseAddress(PRECOMPILE_ADDRESSES.erc20)
const hex = checksumAddress

const open = async (name: string) => {
  const world = new TokenWorld(engine)
  const token = await world.deploy(name)
  expect(await world.call(engine, 'erc20', 'registerToken', [hex(token)])).toMatchObject({
    value: `erc20/${bytesToHex(token)}`,
  })
  const move = (method: 'deposit' | 'withdraw', amount: bigint, receiver: Address = ALICE, options: CallOptions = {}) =>
    world.call(engine, 'erc20', method, [hex(token), amount, hex(receiver)], options)
  return { world, token, move }
}

const openApproved = async (name: string) => {
  const opened = await open(name)
  await opened.world.send(ALICE, opened.token, 'approve', bytesToHex(CONVERTER), 10_000n)
  return opened
}

describe('a wallet', () => {
  it('deposits what it has approved, and withdraws', async () => {
    const { world, token, move } = await openApproved('Honest')
    const paid = await move('deposit', 700n, BOB)
    expect(paid).toMatchObject({ value: 700n })
    const logs = parseEventLogs({
      abi: [...TOKEN_ABI, ...converterAbi],
      logs: paid.result.logs.map(({ address, topics, data }) => ({
        ...{ address: bytesToHex(address), topics: topics.map(bytesToHex), data: bytesToHex(data) },
      })) as never,
    }) as unknown as readonly { eventName: string; args: object }[]
    expect(logs.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['Transfer', { from: hex(ALICE), to: hex(ERC20_ADDRESS), value: 700n }],
      ['Deposit', { token: hex(token), sender: hex(ALICE), receiver: hex(BOB), amount: 700n, credited: 700n }],
    ])
    expect(paid.result.nativeEvents.map(({ type }) => type)).toContain('erc20_deposit')
    expect(await world.call(engine, 'erc20', 'coinsOf', [hex(token), hex(BOB)])).toMatchObject({ value: 700n })
    expect(await move('withdraw', 300n, ALICE, { from: BOB })).toMatchObject({ value: true })
    expect(await world.held(token, ALICE)).toBe(1_000_000n - 400n)
    expect([world.supply(token), await world.escrowed(token)]).toEqual([400n, 400n])
    expect(await world.call(engine, 'erc20', 'getToken', [hex(token)])).toMatchObject({
      value: { name: 'Honest Token', symbol: 'HON', decimals: 6, booked: 400n, measured: 400n },
    })
    expect(world.state.account(ALICE)?.balance).toBe(FUNDS - 10n * NAT)
    expect(world.faults()).toEqual([])
  })

  it('deposits nothing that it has not approved', async () => {
    const { world, token, move } = await open('Honest')
    expect(await move('deposit', 1n)).toMatchObject({ refusal: expect.stringContaining('refused to move') })
    await world.send(ALICE, token, 'approve', bytesToHex(CONVERTER), 5n)
    expect(await move('deposit', 6n)).toMatchObject({ refusal: expect.stringContaining('refused to move') })
    // What Alice has approved is not for others.
    expect(await move('deposit', 5n, BOB, { from: BOB })).toMatchObject({ refusal: expect.anything() })
    expect(await move('deposit', 5n, ZERO_ADDRESS)).toMatchObject({ refusal: expect.stringContaining('receiver') })
    expect(world.supply(token)).toBe(0n)
    expect(await world.held(token, ALICE)).toBe(1_000_000n)
  })

  it('pays for the code of the token, which gets no more than its bound', async () => {
    const { world, token, move } = await openApproved('BurnsGas')
    const burnt = await move('deposit', 5n)
    expect(burnt).toMatchObject({ refusal: expect.stringContaining('its code failed') })
    expect(burnt.result.gasBeforeRefund).toBeGreaterThan(500_000n)
    expect(burnt.result.gasBeforeRefund).toBeLessThan(900_000n)
    const { gasBeforeRefund } = (await move('deposit', 5n, ALICE, { gas: 300_000n })).result
    expect(gasBeforeRefund).toBeLessThanOrEqual(300_000n)
    expect(world.supply(token)).toBe(0n)
  })
})

it.each([
  ['Honest', 'Honest Token HON 6'],
  // It catches that there is too little gas to ask another one, and answers all the same.
  ['Wrapper', 'Honest Token HON 6'],
])('whoever registers a token (%s) cannot choose by the gas what it says of itself', async (contract, wanted) => {
  const world = new TokenWorld(engine)
  const token = await world.deploy(contract)
  const register = async (gas: bigint) => {
    world.state.checkpoint()
    const outcome = await world.call(engine, 'erc20', 'registerToken', [hex(token)], { gas })
    const { name, symbol, decimals } = 'value' in outcome ? (world.token(token) ?? {}) : {}
    world.state.revert()
    return 'value' in outcome ? [name, symbol, decimals].join(' ') : outcome.refusal
  }
  const said = new Set<string>()
  // The last look-ups, by little steps; and from there on.
  for (let gas = 176_000n; gas < 190_000n; gas += 20n) said.add(await register(gas))
  for (let gas = 190_000n; gas < 400_000n; gas += 1_000n) said.add(await register(gas))
  expect([...said].filter((each) => !each.startsWith('out of gas'))).toEqual([wanted])
})

describe('a contract', () => {
  it('deposits and withdraws its own', async () => {
    const { world, token, move } = await open('Honest')
    await world.send(ALICE, token, 'transfer', bytesToHex(CONTRACT), 100n)
    // Stands for a contract that approves: the forwarder calls whatever it is given.
    await move('deposit', 1n, CONTRACT, { through: 'CALL' })
    const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args: [bytesToHex(CONVERTER), 60n] })
    await world.execute(engine, {
      to: CONTRACT,
      data: hexToBytes(`0x${'00'.repeat(12)}${bytesToHex(token).slice(2)}${data.slice(2)}`),
    })
    expect(await move('deposit', 60n, CONTRACT, { through: 'CALL' })).toMatchObject({ value: 60n })
    expect(world.coins(CONTRACT, token)).toBe(60n)
    expect(await move('withdraw', 60n, CONTRACT, { through: 'CALL' })).toMatchObject({ value: true })
    expect(await world.held(token, CONTRACT)).toBe(100n)
  })

  it('reaches it neither statically nor by delegation, and with no coins', async () => {
    const { move } = await openApproved('Honest')
    expect(await move('deposit', 1n, ALICE, { through: 'STATICCALL' })).toMatchObject({ refusal: 'write protection' })
    expect(await move('deposit', 1n, ALICE, { through: 'DELEGATECALL' })).toMatchObject({
      refusal: expect.stringContaining('delegatecall'),
    })
    expect(await move('deposit', 1n, ALICE, { value: 1n })).toMatchObject({
      refusal: expect.stringContaining('payable'),
    })
  })
})

describe('a token that', () => {
  it.each(['ReturnsFalse', 'FalseButMoves', 'TrueButStays', 'GivesTwice', 'Reverts', 'Destroys'])(
    'misbehaves (%s) makes no coins, and its own writes go with the frame',
    async (name) => {
      const { world, token, move } = await openApproved(name)
      expect(await move('deposit', 10n)).toMatchObject({ refusal: expect.anything() })
      expect([world.supply(token), await world.escrowed(token)]).toEqual([0n, 0n])
      expect(await world.held(token, ALICE)).toBe(1_000_000n)
      expect(await world.read(token, 'allowance', bytesToHex(ALICE), bytesToHex(CONVERTER))).toBe(10_000n)
      expect(world.faults()).toEqual([])
    },
  )

  it('takes a fee, or returns nothing, is credited with what arrived', async () => {
    const fee = await openApproved('FeeOnTransfer')
    expect(await fee.move('deposit', 100n)).toMatchObject({ value: 90n })
    const old = await openApproved('NoReturn')
    expect(await old.move('deposit', 100n)).toMatchObject({ value: 100n })
    expect(await old.move('withdraw', 100n)).toMatchObject({ value: true })
  })

  it.each(['deposit', 'withdraw'] as const)('calls %s again is refused there, and gains nothing', async (again) => {
    const { world, token, move } = await openApproved('CallsBack')
    const honest = await world.deploy('Honest')
    world.register(honest)
    await world.send(ALICE, honest, 'transfer', bytesToHex(token), 500n)
    for (const target of [token, honest]) {
      const args = [bytesToHex(target), 5n, bytesToHex(token)] as const
      const data = encodeFunctionData({ abi: converterAbi, functionName: again, args })
      await world.send(ALICE, token, 'aim', bytesToHex(CONVERTER), data)
      const [supply, calls] = [world.supply(token), (await world.read(token, 'calls')) as bigint]
      // Deposits by the precompile, and by a native message.
      expect(await move('deposit', 50n)).toMatchObject({ value: 50n })
      expect(await world.read(token, 'isDone')).toBe(false)
      expect(world.deposit(ALICE, token, 50n)).toMatchObject({ answer: { credited: '50' } })
      expect(await world.read(token, 'isDone')).toBe(false)
      expect(world.withdraw(ALICE, token, 10n)).toMatchObject({ answer: {} })
      expect(await world.read(token, 'isDone')).toBe(false)
      expect(await world.read(token, 'calls')).toBe(calls + 3n)
      expect([world.supply(token), await world.escrowed(token)]).toEqual([supply + 90n, supply + 90n])
    }
    expect([world.supply(honest), await world.escrowed(honest)]).toEqual([0n, 0n])
    expect(world.faults()).toEqual([])
  })

  it('calls its own deposit within a native message is told that one is under way', async () => {
    const { world, token } = await open('CallsBack')
    const data = encodeFunctionData({
      abi: converterAbi,
      functionName: 'deposit',
      args: [bytesToHex(token), 5n, bytesToHex(token)],
    })
    await world.send(ALICE, token, 'aim', bytesToHex(CONVERTER), data)
    world.deposit(ALICE, token, 50n)
    const { returnData } = await world.send(ALICE, token, 'answer')
    expect(Buffer.from(returnData).toString('latin1')).toContain('a deposit or a withdrawal is under way')
  })
})

it('the reference, which cannot stop within a precompile, refuses what calls contracts', async () => {
  const [, reference] = await engines()
  const { world, token } = await openApproved('Honest')
  expect(await world.call(reference, 'erc20', 'deposit', [hex(token), 1n, hex(ALICE)])).toMatchObject({
    refusal: expect.stringContaining('contracts cannot be called here'),
  })
})
