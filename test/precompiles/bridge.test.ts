/** The way back for contracts and wallets, in both engines. */
import { describe, expect, it } from 'vitest'
import { encodeFunctionData } from 'viem'
import { concatBytes } from '../../core/bytes.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import {
  readBurned,
  readWayBack,
  readWithdrawal,
  writeParams,
  writeMinted,
  writeWayBack,
} from '../../modules/bridge/keeper/index.ts'
import { DEFAULT_PARAMS } from '../../modules/bridge/params.ts'
import { NO_WAY_BACK } from '../../modules/bridge/way-back-record.ts'
import { checksumAddress } from '../../core/address.ts'
import { bridgeAbi, PRECOMPILE_ADDRESSES } from '../../packages/precompiles/index.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import { account, ALICE, BOB, CONTRACT, engines, FUNDS, World } from './world.ts'

const [INTERPRETER, REFERENCE] = await engines()
const EXTERNAL = { chainId: 31_337n, address: account(0xc1) }
const RECIPIENT = checksumAddress(account(0xee))

/** The bridge holds 1,000 anat, of which 600 may be withdrawn on a day. */
const makeWorld = (): World => {
  const world = new World()
  writeParams(world.state, { ...DEFAULT_PARAMS, contract: EXTERNAL, withdrawLimit: 600n })
  writeWayBack(world.state, EXTERNAL, { ...NO_WAY_BACK, held: 1_000n })
  writeMinted(world.state, 'anat', 1_000n)
  return world
}
const balance = ({ state }: World, of = ALICE): bigint => state.account(of)?.balance ?? 0n

describe.each([
  ['the interpreter', INTERPRETER],
  ['the reference', REFERENCE],
] as const)('the bridge in %s', (_, engine) => {
  it('burns coins of who calls, and logs the withdrawal', async () => {
    const world = makeWorld()
    const outcome = await world.call(engine, 'bridge', 'withdraw', [RECIPIENT, 100n])
    const logged = { id: 0, sender: checksumAddress(ALICE), recipient: RECIPIENT, denom: 'anat', amount: 100n }
    expect(outcome).toMatchObject({ value: 0, logs: [{ eventName: 'Withdrawal', args: logged }] })
    expect(outcome.result.nativeEvents.map(({ type }) => type)).toContain('bridge_withdraw')
    expect(balance(world)).toBe(FUNDS - 100n)
    expect(await world.call(engine, 'bridge', 'withdraw', [RECIPIENT, 7n], { through: 'CALL' })).toMatchObject({
      value: 1,
    })
    expect(balance(world, CONTRACT)).toBe(FUNDS - 7n)
    expect(readBurned(world.state, 'anat')).toBe(107n)
    expect(readWayBack(world.state, EXTERNAL)).toMatchObject({ size: 2, held: 893n })
    expect(bytesToHex(readWithdrawal(world.state, EXTERNAL, 1)?.sender ?? ALICE)).toBe(bytesToHex(CONTRACT))
    expect(await world.call(engine, 'bridge', 'getWithdrawal', [1])).toMatchObject({
      value: { sender: checksumAddress(CONTRACT), recipient: RECIPIENT, amount: 7n, denom: 'anat', isSigned: false },
    })
  })

  it('refuses in the words of the module, and changes nothing', async () => {
    const world = makeWorld()
    const call = (...args: readonly [`0x${string}`, bigint]) => world.call(engine, 'bridge', 'withdraw', args)
    expect(await call(RECIPIENT, 601n)).toMatchObject({ refusal: '600 of the limit of this day (UTC) are left' })
    expect(await call(RECIPIENT, 0n)).toMatchObject({ refusal: 'the amount must be above zero' })
    expect(await call(checksumAddress(new Uint8Array(20)), 1n)).toMatchObject({
      refusal: 'the recipient must not be the zero address',
    })
    const quiet = { through: 'STATICCALL' } as const
    expect(await world.call(engine, 'bridge', 'withdraw', [RECIPIENT, 1n], quiet)).toMatchObject({
      refusal: 'write protection',
    })
    expect(await world.call(engine, 'bridge', 'getWithdrawal', [0])).toMatchObject({
      refusal: 'rpc error: code = NotFound desc = there is no withdrawal 0: the next one has the id 0',
    })
    writeParams(world.state, { ...DEFAULT_PARAMS, contract: EXTERNAL })
    expect(await call(RECIPIENT, 1n)).toMatchObject({ refusal: 'withdrawals over the bridge are closed' })
    expect([balance(world), readWayBack(world.state, EXTERNAL).size]).toEqual([FUNDS, 0])
    // What stays in state for ever is paid for.
    const short = await world.call(engine, 'bridge', 'withdraw', [RECIPIENT, 1n], { gas: 140_000n })
    expect(short.result.failure?.message).toBe('out of gas')
  })

  it('acts for nobody but who calls: not by DELEGATECALL, not with coins, and for an account whose code is delegated', async () => {
    const world = makeWorld()
    const args = [RECIPIENT, 5n] as const
    expect(await world.call(engine, 'bridge', 'withdraw', args, { through: 'DELEGATECALL' })).toMatchObject({
      refusal: 'precompiles cannot be reached by delegatecall or callcode',
    })
    expect(await world.call(engine, 'bridge', 'withdraw', args, { value: 1n })).toMatchObject({
      refusal: 'method withdraw is not payable',
    })
    expect([balance(world), readWayBack(world.state, EXTERNAL).size]).toEqual([FUNDS, 0])
    // BOB's code is that of the contract, which sends on what ALICE says: BOB calls, and BOB's coins are burned.
    await world.call(engine, 'bridge', 'getParams', [], { through: 'CALL' })
    const bob = world.state.account(BOB) ?? EMPTY_ACCOUNT
    const delegated = world.state.setCode(concatBytes(hexToBytes('0xef0100'), CONTRACT))
    world.state.setAccount(BOB, { ...bob, nonce: 1n, codeHash: delegated })
    const data = encodeFunctionData({ abi: bridgeAbi, functionName: 'withdraw', args })
    const input = hexToBytes(`0x${'00'.repeat(12)}${PRECOMPILE_ADDRESSES.bridge.slice(2)}${data.slice(2)}`)
    expect((await world.execute(engine, { sender: ALICE, to: BOB, data: input })).failure).toBeUndefined()
    expect([ALICE, BOB, CONTRACT].map((of) => balance(world, of))).toEqual([FUNDS, FUNDS - 5n, FUNDS])
    expect(bytesToHex(readWithdrawal(world.state, EXTERNAL, 0)?.sender ?? ALICE)).toBe(bytesToHex(BOB))
  })

  it('does all or nothing, wherever the gas ends', async () => {
    let done = 0
    for (let gas = 30_000n; gas < 400_000n; gas += 9_000n) {
      const world = makeWorld()
      const outcome = await world.call(engine, 'bridge', 'withdraw', [RECIPIENT, 100n], { gas, through: 'CALL' })
      const after = [balance(world, CONTRACT), readWayBack(world.state, EXTERNAL).size, readBurned(world.state, 'anat')]
      const isDone = 'value' in outcome
      expect(after, `${gas}`).toEqual(isDone ? [FUNDS - 100n, 1, 100n] : [FUNDS, 0, 0n])
      expect(readWithdrawal(world.state, EXTERNAL, 0) !== undefined).toBe(isDone)
      expect(outcome.result.nativeEvents.length > 0).toBe(isDone)
      if (isDone) done++
    }
    expect(done).toBeGreaterThan(5)
  })

  it('tells what is bridged', async () => {
    expect(await makeWorld().call(engine, 'bridge', 'getParams', [])).toMatchObject({
      value: {
        chainId: 31_337n,
        externalContract: checksumAddress(EXTERNAL.address),
        denom: 'anat',
        withdrawLimit: 600n,
        isPaused: false,
      },
    })
  })
})
