/** The way back for contracts and wallets, in both engines. */
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../core/hex.ts'
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
import { account, ALICE, CONTRACT, engines, FUNDS, World } from './world.ts'

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
