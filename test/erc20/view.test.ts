/** A native denomination as an ERC-20 contract, in both engines: what viem's standard ABI asks of it. */
import { decodeErrorResult, decodeFunctionResult, encodeFunctionData, erc20Abi, type Hex, parseEventLogs } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Address, checksumAddress, moduleAddress, ZERO_ADDRESS } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { concatBytes, EMPTY_BYTES } from '../../core/bytes.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { VIEW_CODE } from '../../app/precompiles/index.ts'
import { precompileAddress } from '../../evm/precompile-addresses.ts'
import { mint, readBalance } from '../../modules/bank/index.ts'
import { GOVERNANCE_ADDRESS } from '../../modules/authority.ts'
import { viewAddress } from '../../modules/erc20/index.ts'
import { NATIVE_TOKEN_ADDRESS } from '../../packages/precompiles/index.ts'
import { bankTx, erc20Query, erc20Tx } from '../../proto/index.ts'
import { ALICE, BOB, CONTRACT, engines } from '../precompiles/world.ts'
import { TokenWorld } from './world.ts'

const DENOM = 'ibc/1234'
const VIEW = viewAddress(DENOM)
const hex = checksumAddress
const ENGINES = await engines()

/** Sends Alice's calls, and knows what they returned. */
class ViewWorld extends TokenWorld {
  readonly from: Address = ALICE

  async ask(functionName: string, args: readonly unknown[] = [], from: Address = this.from, to: Address = VIEW) {
    const data = hexToBytes(encodeFunctionData({ abi: erc20Abi, functionName, args } as never))
    const result = await this.execute(this.engine, { sender: from, to, data })
    const returned: Hex = bytesToHex(result.returnData)
    if (result.failure !== undefined) {
      return { refusal: String(decodeErrorResult({ abi: [], data: returned }).args?.[0]) }
    }
    const logs = parseEventLogs({
      abi: erc20Abi,
      logs: result.logs.map(({ address, topics, data: bytes }) => ({
        ...{ address: bytesToHex(address), topics: topics.map(bytesToHex), data: bytesToHex(bytes) },
      })) as never,
    }).map(({ eventName, args: values, address }) => [eventName, address, values])
    const value: unknown = decodeFunctionResult({ abi: erc20Abi, functionName, data: returned } as never)
    return { value, logs }
  }

  balance(owner: Address): bigint {
    return readBalance(this.state, owner, DENOM)
  }
}

const open = (index: 0 | 1): ViewWorld => {
  const world = new ViewWorld(ENGINES[index])
  mint(world.state, ALICE, { denom: DENOM, amount: 1_000n })
  const made = world.message(erc20Tx.Msg.method.registerView, { sender: encodeBech32(BOB), denom: DENOM })
  expect(made).toMatchObject({ answer: { address: bytesToHex(VIEW) } })
  return world
}

describe.each([
  ['the interpreter', 0],
  ['the reference', 1],
] as const)('a view in %s', (_, index) => {
  it('has code, and says what the bank says', async () => {
    const world = open(index)
    const account = world.state.account(VIEW)
    expect(account && world.state.code(account.codeHash)).toEqual(VIEW_CODE)
    expect(await world.ask('name')).toMatchObject({ value: DENOM })
    expect(await world.ask('symbol')).toMatchObject({ value: DENOM })
    expect(await world.ask('decimals')).toMatchObject({ value: 0 })
    expect(await world.ask('totalSupply')).toMatchObject({ value: 1_000n })
    expect(await world.ask('balanceOf', [hex(ALICE)])).toMatchObject({ value: 1_000n })
    expect(await world.ask('balanceOf', [hex(BOB)])).toMatchObject({ value: 0n })
  })

  it('moves coins of the one ledger, with the logs of the standard', async () => {
    const world = open(index)
    const [from, to] = [hex(ALICE), hex(BOB)]
    expect(await world.ask('transfer', [to, 30n])).toEqual({
      value: true,
      logs: [['Transfer', bytesToHex(VIEW), { from, to, value: 30n }]],
    })
    expect([world.balance(ALICE), world.balance(BOB)]).toEqual([970n, 30n])
    // Nothing is a transfer, too.
    expect(await world.ask('transfer', [to, 0n])).toEqual({
      value: true,
      logs: [['Transfer', bytesToHex(VIEW), { from, to, value: 0n }]],
    })
  })

  it('lets spenders take what was approved, of the greatest number without end', async () => {
    const world = open(index)
    const [owner, spender] = [hex(ALICE), hex(BOB)]
    expect(await world.ask('transferFrom', [owner, spender, 1n], BOB)).toEqual({
      refusal: 'ERC20: insufficient allowance: 0 of 1',
    })
    expect(await world.ask('approve', [spender, 50n])).toEqual({
      value: true,
      logs: [['Approval', bytesToHex(VIEW), { owner, spender, value: 50n }]],
    })
    expect(await world.ask('transferFrom', [owner, hex(CONTRACT), 20n], BOB)).toMatchObject({ value: true })
    expect(await world.ask('allowance', [owner, spender])).toMatchObject({ value: 30n })
    expect(await world.ask('transferFrom', [owner, spender, 31n], BOB)).toMatchObject({ refusal: expect.anything() })
    await world.ask('approve', [spender, 2n ** 256n - 1n])
    expect(await world.ask('transferFrom', [owner, spender, 100n], BOB)).toMatchObject({ value: true })
    expect(await world.ask('allowance', [owner, spender])).toMatchObject({ value: 2n ** 256n - 1n })
    expect(await world.ask('transferFrom', [owner, spender, 5_000n], BOB)).toMatchObject({
      refusal: expect.stringContaining('smaller than'),
    })
    expect([world.balance(ALICE), world.balance(BOB), world.balance(CONTRACT)]).toEqual([880n, 100n, 20n])
    await world.ask('approve', [spender, 0n])
    expect(await world.ask('transferFrom', [owner, spender, 1n], BOB)).toMatchObject({ refusal: expect.anything() })
  })

  it('keeps the rules of the bank: what may be sent, and to whom', async () => {
    const world = open(index)
    expect(await world.ask('transfer', [hex(BOB), 1_001n])).toMatchObject({
      refusal: expect.stringContaining('insufficient funds'),
    })
    for (const address of [moduleAddress('gov'), moduleAddress('erc20'), precompileAddress(0x902)]) {
      expect(await world.ask('transfer', [hex(address), 1n])).toMatchObject({
        refusal: expect.stringContaining('not allowed to receive'),
      })
    }
    expect(await world.ask('transfer', [hex(ZERO_ADDRESS), 1n])).toMatchObject({
      refusal: 'ERC20: transfer to the zero address',
    })
    expect(await world.ask('transfer', [hex(VIEW), 1n])).toMatchObject({
      refusal: 'ERC20: transfer to the token itself',
    })
    expect(await world.ask('approve', [hex(ZERO_ADDRESS), 1n])).toMatchObject({ refusal: expect.anything() })
    const authority = encodeBech32(GOVERNANCE_ADDRESS)
    const sendEnabled = [{ denom: DENOM, enabled: false }]
    world.message(bankTx.Msg.method.setSendEnabled, { authority, sendEnabled })
    expect(await world.ask('transfer', [hex(BOB), 1n])).toMatchObject({
      refusal: expect.stringContaining('send transactions are disabled'),
    })
  })

  it('answers nobody who speaks to the precompile itself, nor through delegation', async () => {
    const world = open(index)
    const precompile = precompileAddress(0x902)
    const data = concatBytes(hexToBytes('0x70a08231'), new Uint8Array(64))
    const { failure, returnData } = await world.execute(world.engine, { to: precompile, data })
    expect(failure).toBeDefined()
    expect(decodeErrorResult({ abi: [], data: bytesToHex(returnData) }).args).toEqual([
      'only contracts of views call this',
    ])
    // A contract with the code of a view is none.
    world.state.setAccount(CONTRACT, {
      ...world.state.account(CONTRACT),
      ...{ nonce: 1n, codeHash: world.state.setCode(VIEW_CODE) },
    } as never)
    expect(await world.ask('totalSupply', [], ALICE, CONTRACT)).toEqual({
      refusal: 'only contracts of views call this',
    })
  })

  it('takes no coins, and reverts calls that make no sense', async () => {
    const world = open(index)
    const asked = hexToBytes(encodeFunctionData({ abi: erc20Abi, functionName: 'totalSupply' }))
    for (const message of [
      { value: 1n, data: EMPTY_BYTES },
      { value: 1n, data: asked },
      { data: EMPTY_BYTES },
      { data: Uint8Array.of(0x18) },
      { data: hexToBytes('0xdeadbeef') },
      { data: hexToBytes('0xa9059cbb') },
      { data: hexToBytes(`0xa9059cbb${'ff'.repeat(64)}`) },
      { data: asked, gasLimit: 25_000n },
    ]) {
      expect((await world.execute(world.engine, { to: VIEW, ...message })).failure).toBeDefined()
    }
    expect(world.balance(ALICE)).toBe(1_000n)
  })
})

describe('views', () => {
  it('are the addresses of their denominations for the precompile of the bank', async () => {
    const world = open(0)
    mint(world.state, ALICE, { denom: 'other', amount: 3n })
    const listed = await world.call(world.engine, 'bank', 'balances', [hex(ALICE)])
    expect(listed).toMatchObject({
      value: [{ contractAddress: NATIVE_TOKEN_ADDRESS }, { contractAddress: hex(VIEW), amount: 1_000n }],
    })
    expect(await world.call(world.engine, 'bank', 'supplyOf', [hex(VIEW)])).toMatchObject({ value: 1_000n })
    expect(await world.call(world.engine, 'bank', 'supplyOf', [hex(viewAddress('other'))])).toMatchObject({ value: 0n })
  })

  it('are registered once, of denominations that somebody has, but not of NAT and of tokens', () => {
    const world = open(0)
    const make = (denom: string) => world.message(erc20Tx.Msg.method.registerView, { sender: encodeBech32(BOB), denom })
    expect(make(DENOM)).toMatchObject({ code: 'erc20/2' })
    expect(make('unknown')).toMatchObject({ code: 'sdk/38' })
    for (const denom of ['anat', `erc20/${hex(BOB)}`, '', 'x', 'a b'])
      expect(make(denom)).toMatchObject({ code: 'sdk/18' })
    const { views } = world.query(erc20Query.Query.method.views, {})
    expect(views).toMatchObject([{ denom: DENOM, address: bytesToHex(VIEW) }])
    const unregistered = world.query(erc20Query.Query.method.view, { denom: 'other' })
    expect(unregistered).toMatchObject({ registered: false, view: { address: bytesToHex(viewAddress('other')) } })
  })

  it('are no tokens of the converter', () => {
    expect(open(0).register(VIEW)).toMatchObject({ code: 'erc20/3' })
  })
})
