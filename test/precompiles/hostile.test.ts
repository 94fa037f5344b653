/** Contracts that move their own coins through precompiles where it hurts; both engines must end in the same state. */
import { decodeErrorResult, encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Address, checksumAddress, contractAddress, parseAddress } from '../../core/address.ts'
import { NATIVE_TOKEN_CODE } from '../../app/precompiles/index.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import type { Engine, ExecutionResult } from '../../evm/engine.ts'
import { code, load, op, type Part } from '../../evm/testing/assembler.ts'
import { readSupply } from '../../modules/bank/keeper/balances.ts'
import { formatOperator } from '../../modules/validator-addresses.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import { govAbi, NATIVE_TOKEN_ADDRESS, PRECOMPILE_ADDRESSES, stakingAbi } from '../../packages/precompiles/index.ts'
import { ALICE, BOB, CONTRACT, engines, FIRST, FUNDS, NAT, World } from './world.ts'

const [INTERPRETER, REFERENCE] = await engines()
const GOV = parseAddress(PRECOMPILE_ADDRESSES.gov)
const STAKING = parseAddress(PRECOMPILE_ADDRESSES.staking)
const hex = checksumAddress
const FIRST_TEXT = formatOperator(FIRST)
const GAS = 2_000_000n

const inBoth = async <Result>(scenario: (world: World, engine: Engine) => Promise<Result>): Promise<Result> => {
  const [fast, slow] = [new World(), new World()]
  const result = await scenario(fast, INTERPRETER)
  expect(await scenario(slow, REFERENCE)).toEqual(result)
  expect(slow.state.changes()).toEqual(fast.state.changes())
  return result
}

const install = (world: World, parts: readonly Part[]): void => {
  const held = world.state.account(CONTRACT) ?? EMPTY_ACCOUNT
  world.state.setAccount(CONTRACT, { ...held, nonce: 1n, codeHash: world.state.setCode(code(...parts)) })
}

/** Leaves the flag on the stack. */
const callWith = (target: Address, data: Uint8Array): Part[] => [
  ...load(data),
  ...op('CALL', GAS, target, 0n, 0n, BigInt(data.length), 0n, 0n),
]
const create = (init: Uint8Array, valueAnat: bigint): Part[] => [
  ...load(init),
  ...op('CREATE', valueAnat, 0n, BigInt(init.length)),
]
const RETURN_TOP: readonly Part[] = [0n, 'MSTORE', ...op('RETURN', 0n, 32n)]

const delegation = (delegator: Address, amount: bigint): Uint8Array =>
  hexToBytes(
    encodeFunctionData({ abi: stakingAbi, functionName: 'delegate', args: [hex(delegator), FIRST_TEXT, amount] }),
  )

const balanceOf = ({ state }: World, address: Address): bigint => state.account(address)?.balance ?? 0n

/** All balances are what the bank says there is, less what the EVM has burnt and the block tells the bank of. */
const expectSupply = (world: World, { burntAnat }: ExecutionResult): void => {
  let sum = 0n
  for (const [, held] of world.state.changes().accounts) sum += held?.balance ?? 0n
  expect(sum).toBe(readSupply(world.state, 'anat') - burntAnat)
}

/** Installs the token as the genesis does. */
const installToken = (world: World): Address => {
  const token = parseAddress(NATIVE_TOKEN_ADDRESS)
  world.state.setAccount(token, { ...EMPTY_ACCOUNT, nonce: 1n, codeHash: world.state.setCode(NATIVE_TOKEN_CODE) })
  return token
}

describe('the address that names the native token', () => {
  it('takes no coins of a transaction or a contract, and says why', async () => {
    for (const engine of [INTERPRETER, REFERENCE]) {
      const world = new World()
      const token = installToken(world)
      const sent = await world.execute(engine, { to: token, value: NAT })
      expect(sent.failure?.kind).toBe('revert')
      expect(decodeErrorResult({ abi: [], data: bytesToHex(sent.returnData) }).args).toEqual([
        'this address names the native token: it takes no coins and has no methods',
      ])
      install(world, [...op('CALL', GAS, token, NAT, 0n, 0n, 0n, 0n), ...RETURN_TOP])
      expect(BigInt(bytesToHex((await world.execute(engine, { to: CONTRACT })).returnData))).toBe(0n)
      expect(balanceOf(world, token)).toBe(0n)
    }
  })
})

const selfDestruct = (heir: Address): Part[] => op('SELFDESTRUCT', heir)

describe('SELFDESTRUCT', () => {
  const TOKEN = parseAddress(NATIVE_TOKEN_ADDRESS)

  it('reverts where it would leave coins to an address that takes none, and says why', async () => {
    for (const [heir, reason] of [
      [TOKEN, 'this address names the native token: it takes no coins and has no methods'],
      [STAKING, 'a precompile takes no coins'],
    ] as const) {
      await inBoth(async (world, engine) => {
        install(world, selfDestruct(heir))
        const result = await world.execute(engine, { to: CONTRACT })
        expect(result).toMatchObject({ failure: { kind: 'revert' }, burntAnat: 0n })
        expect(decodeErrorResult({ abi: [], data: bytesToHex(result.returnData) }).args).toEqual([reason])
        expect([balanceOf(world, heir), balanceOf(world, CONTRACT)]).toEqual([0n, FUNDS])
        expectSupply(world, result)
        return result
      })
    }
  })

  it('of a constructor reverts with it, and its creator keeps the coins', async () => {
    await inBoth(async (world, engine) => {
      install(world, [...create(code(...selfDestruct(TOKEN)), NAT), ...RETURN_TOP])
      const result = await world.execute(engine, { to: CONTRACT })
      expect(BigInt(bytesToHex(result.returnData))).toBe(0n)
      expect([balanceOf(world, TOKEN), balanceOf(world, CONTRACT)]).toEqual([0n, FUNDS])
      return result
    })
  })

  it('without coins, and for any other heir, is as it was', async () => {
    await inBoth(async (world, engine) => {
      installToken(world)
      install(world, [...create(code(...selfDestruct(TOKEN)), 0n), ...RETURN_TOP])
      const result = await world.execute(engine, { to: CONTRACT })
      expect(BigInt(bytesToHex(result.returnData))).toBeGreaterThan(0n)
      install(world, selfDestruct(BOB))
      const before = balanceOf(world, BOB)
      expect((await world.execute(engine, { to: CONTRACT })).failure).toBeUndefined()
      expect(balanceOf(world, BOB)).toBe(before + FUNDS)
      return result
    })
  })
})

describe('a contract', () => {
  it('sees its balance fall while it delegates, and has it back where the frame reverts', async () => {
    await inBoth(async (world, engine) => {
      install(world, [...callWith(STAKING, delegation(CONTRACT, 5n * NAT)), 'POP', 'SELFBALANCE', ...RETURN_TOP])
      const kept = await world.execute(engine, { to: CONTRACT })
      expect(BigInt(bytesToHex(kept.returnData))).toBe(FUNDS - 5n * NAT)
      expect(kept.logs).toHaveLength(1)
      install(world, [...callWith(STAKING, delegation(CONTRACT, 5n * NAT)), 'POP', ...op('REVERT', 0n, 0n)])
      const undone = await world.execute(engine, { to: CONTRACT })
      expect(undone).toMatchObject({ failure: { kind: 'revert' }, logs: [], nativeEvents: [] })
      expect(balanceOf(world, CONTRACT)).toBe(FUNDS - 5n * NAT)
      expectSupply(world, undone)
    })
  })

  it('is no operator, in its constructor neither, where it has no code yet', async () => {
    for (const engine of [INTERPRETER, REFERENCE]) {
      const world = new World()
      const creation = (operator: Address): Uint8Array =>
        hexToBytes(
          encodeFunctionData({
            abi: stakingAbi,
            functionName: 'createValidator',
            args: [
              { moniker: 'contract', identity: '', website: '', securityContact: '', details: '' },
              { rate: 0n, maxRate: 0n, maxChangeRate: 0n },
              NAT,
              hex(operator),
              Buffer.alloc(32, 7).toString('base64'),
              2n * NAT,
            ],
          }),
        )
      const own = contractAddress(ALICE, world.state.account(ALICE)?.nonce ?? 0n)
      const constructed = await world.execute(engine, {
        to: undefined,
        value: 10n * NAT,
        data: code(...callWith(STAKING, creation(own)), ...RETURN_TOP),
      })
      expect(constructed).toMatchObject({ failure: undefined, logs: [] })
      const child = contractAddress(CONTRACT, 1n)
      const init = code(...callWith(STAKING, creation(child)), ...RETURN_TOP)
      install(world, [...create(init, 10n * NAT), ...RETURN_TOP])
      expect(await world.execute(engine, { to: CONTRACT })).toMatchObject({ failure: undefined, logs: [] })
      for (const address of [own, child]) expect(balanceOf(world, address)).toBe(10n * NAT)
    }
  })

  it('delegates in its constructor and destroys itself: the stake stays, the rest goes to the heir', async () => {
    await inBoth(async (world, engine) => {
      const child = contractAddress(CONTRACT, 1n)
      const init = code(...callWith(STAKING, delegation(child, 3n * NAT)), 'POP', ...op('SELFDESTRUCT', BOB))
      install(world, [...create(init, 10n * NAT), ...RETURN_TOP])
      const result = await world.execute(engine, { to: CONTRACT, gasLimit: 10_000_000n })
      expect(result.failure).toBeUndefined()
      expect(balanceOf(world, BOB)).toBe(FUNDS + 7n * NAT)
      expect(world.state.account(child)).toBeUndefined()
      const found = await world.call(engine, 'staking', 'delegation', [hex(child), FIRST_TEXT])
      expect(found).toMatchObject({ value: [3n * NAT * 10n ** 18n, { denom: 'anat', amount: 3n * NAT }] })
      expectSupply(world, result)
    })
  })

  it('gets a refund after it has destroyed itself: the coins are burnt, and counted as burnt', async () => {
    await inBoth(async (world, engine) => {
      const json = bytesToHex(utf8ToBytes(JSON.stringify({ title: 't', summary: 's', metadata: 'm' })))
      const coins = (amount: bigint) => [{ denom: 'anat', amount }]
      await world.call(engine, 'gov', 'submitProposal', [hex(CONTRACT), json, coins(20n * NAT)], { through: 'CALL' })
      const child = contractAddress(CONTRACT, 1n)
      const args = [hex(child), 1n, coins(40n * NAT)] as const
      const deposit = hexToBytes(encodeFunctionData({ abi: govAbi, functionName: 'deposit', args }))
      const cancel = hexToBytes(
        encodeFunctionData({ abi: govAbi, functionName: 'cancelProposal', args: [hex(CONTRACT), 1n] }),
      )
      const init = code(...callWith(GOV, deposit), 'POP', ...op('SELFDESTRUCT', BOB))
      install(world, [...create(init, 50n * NAT), 'POP', ...callWith(GOV, cancel), ...RETURN_TOP])
      const result = await world.execute(engine, { to: CONTRACT, gasLimit: 10_000_000n })
      expect(BigInt(bytesToHex(result.returnData))).toBe(1n)
      expect(balanceOf(world, BOB)).toBe(FUNDS + 10n * NAT)
      expect(world.state.account(child)).toBeUndefined()
      // Half of the deposit is the price of cancelling, which the bank burns itself.
      expect(result.burntAnat).toBe(20n * NAT)
      expectSupply(world, result)
    })
  })

  it('pays for the JSON of a proposal before it is read, and no more than a transaction holds is', async () => {
    await inBoth(async (world, engine) => {
      const submit = async (json: string, gas: bigint) =>
        world.call(engine, 'gov', 'submitProposal', [hex(ALICE), bytesToHex(utf8ToBytes(json)), []], { gas })
      const json = `{"messages":[{"@type":"/cosmos.bank.v1beta1.MsgSend","amount":[${'{},'.repeat(9_999)}{}]}]}`
      const { result } = await submit(json, 12_000_000n)
      expect(result.gasUsed).toBeGreaterThan(100n * BigInt(json.length))
      expect(await submit(json, 2_500_000n)).toMatchObject({ refusal: 'out of gas' })
      const period = await submit(
        '{"messages":[{"@type":"/cosmos.gov.v1.MsgUpdateParams","params":{"voting_period":{}}}]}',
        GAS,
      )
      expect(period).toMatchObject({ refusal: 'invalid proposal JSON: message 0 does not fit its definition' })
      const long = await submit(`{"x":"${' '.repeat(131_072)}"}`, 16_000_000n)
      expect(long).toMatchObject({ refusal: 'the proposal json has 131080 bytes, at most 131072 are allowed' })
    })
  })

  it('reads refusals in words that no library chose', async () => {
    await inBoth(async (world, engine) => {
      const refused = await world.call(engine, 'staking', 'delegation', [hex(ALICE), FIRST_TEXT.replace(/.$/, 'b')])
      expect(refused).toMatchObject({
        refusal: expect.stringContaining('its length, characters or checksum are wrong'),
      })
    })
  })
})
