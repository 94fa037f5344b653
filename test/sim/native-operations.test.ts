/**
 * 5,000 random native operations on two nodes, every invariant of every module after every block, and an export in
 * between whose chain goes on with an equal root. CHAIN_SIM_OPERATIONS changes the number.
 */
import { fromBinary } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import type { PrivateKeyAccount } from 'viem/accounts'
import { invariant } from '../../core/errors.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { consensusAddress } from '../../core/signature.ts'
import type { Misbehavior } from '../../modules/module.ts'
import { readValidators } from '../../modules/staking/keeper/validators.ts'
import { abci } from '../../proto/index.ts'
import { forkWorld } from './fork.ts'
import { Operations } from './native-operations.ts'
import { signNative } from './native-transactions.ts'
import { type Random, seeded } from './random.ts'
import { makeAccounts, signTransaction } from './traffic.ts'
import { checkInvariants, committedState, gossip, makeWorld, pendingNonce, type World } from './world.ts'

/** Every kind succeeds at least once among so many. */
const ALL_SUCCEED_FROM = 5_000
const OPERATIONS = Number(process.env['CHAIN_SIM_OPERATIONS'] ?? ALL_SUCCEED_FROM)
const A_BLOCK = 12
/** Blocks between two exports. */
const FORK_EVERY = 150
const NODES = [{ name: 'a' }, { name: 'b' }] as const
const ACCOUNTS = 14
const POWERS = [60n, 50n, 40n, 30n] as const
/** anat per gas. */
const PRICES = { maxFeePerGas: 40_000_000_000n, tip: 1_000_000_000n }

const HELD = (10n ** 24n).toString()

/** What takes weeks elsewhere takes minutes here. */
const STATE = {
  staking: { params: { unbonding_time: '90s', max_validators: 5 } },
  slashing: {
    params: {
      signed_blocks_window: '20',
      min_signed_per_window: '0.500000000000000000',
      downtime_jail_duration: '10s',
    },
  },
  // NAT that came over a bridge, and may go back.
  bridge: {
    params: {
      chain_id: '31337',
      contract: `0x${'c0'.repeat(20)}`,
      denom: 'anat',
      withdraw_limit: (10n ** 22n).toString(),
      set_interval_blocks: 10,
    },
    minted: [{ denom: 'anat', amount: HELD }],
    way_back: [
      { chain_id: '31337', contract: `0x${'c0'.repeat(20)}`, held: HELD, day: 0, day_amount: '0', set_nonce: 0 },
    ],
  },
  gov: {
    params: {
      voting_period: '20s',
      expedited_voting_period: '10s',
      max_deposit_period: '20s',
      min_deposit: [{ denom: 'anat', amount: '5000000000000000000' }],
      expedited_min_deposit: [{ denom: 'anat', amount: '8000000000000000000' }],
    },
  },
} as const

class Simulation {
  readonly #random: Random
  readonly accounts: readonly PrivateKeyAccount[]
  readonly outcomes = new Map<string, { ok: number; failed: number }>()
  operations = 0

  constructor(random: Random) {
    this.#random = random
    this.accounts = makeAccounts(random, ACCOUNTS)
  }

  /** A few operations, gossiped to every pool, and the block that has them. */
  async block(world: World, operations: Operations): Promise<void> {
    const [node] = world.nodes
    invariant(node !== undefined, 'a world has nodes')
    const { chainId } = world.driver.setup
    const names = new Map<string, string>()
    for (let i = 0; i < A_BLOCK; i++) {
      const { account, messages, name, call } = operations.next()
      this.operations += call === undefined ? messages.length : 1
      const sequence = await pendingNonce(node, account)
      const raw =
        call === undefined
          ? await signNative({ chainId, messages, signers: [{ account, sequence }], gas: 600_000n })
          : await signTransaction(account, 2, { ...call, nonce: sequence, gas: 600_000n, ...PRICES })
      if (gossip(world.nodes, raw)) names.set(Buffer.from(raw).toString('base64'), name)
      else this.#note(name, false, node.application.checkTx(raw, false).log)
    }
    this.#sendAway(world)
    // Now and then so long that unbondings, votings and jails end.
    const advanceMs = this.#random.chance(3) ? 100_000 : 1 + this.#random.below(3_000)
    const { block, response } = await world.driver.step(node, advanceMs, this.#misbehavior(world))
    for (const [index, raw] of block.transactions.entries()) {
      const name = names.get(Buffer.from(raw).toString('base64'))
      const result = response.transactionResults[index]
      // An Ethereum transaction that failed has code 0, and says why.
      if (name !== undefined) this.#note(name, result?.code === 0 && result.log === '', result?.log)
    }
    operations.note(block.height, [
      ...response.events,
      ...response.transactionResults.flatMap(({ events }) => fromBinary(abci.ExecTxResultSchema, events).events),
    ])
    for (const each of world.nodes) checkInvariants(each)
    operations.jailed = [...readValidators(committedState(node))].flatMap(({ isJailed, operator }) =>
      isJailed ? [operator] : [],
    )
  }

  /** Somebody leaves for so long that it is jailed, or comes back. */
  #sendAway({ driver }: World): void {
    if (!this.#random.chance(8)) return
    driver.away.clear()
    const validators = driver.validatorsAt(driver.height + 1)
    if (this.#random.chance(70)) driver.away.add(bytesToHex(this.#random.pick(validators).address))
  }

  /** Somebody is caught voting twice, as long as enough others are left. */
  #misbehavior({ driver }: World): readonly Misbehavior[] {
    const validators = driver.validatorsAt(driver.height + 1)
    if (driver.height < 20 || validators.length < 4 || !this.#random.chance(1)) return []
    const { publicKey, power } = this.#random.pick(validators)
    const totalPower = validators.reduce((sum, each) => sum + each.power, 0n)
    if (power * 3n >= totalPower) return []
    const evidence: Misbehavior = {
      type: 'duplicate-vote',
      validatorAddress: consensusAddress(publicKey),
      power,
      height: driver.height - this.#random.below(5),
      timeNs: driver.timeNs,
      totalPower,
    }
    // Also twice in one block, and of somebody whom staking does not know.
    const stranger = { ...evidence, validatorAddress: new Uint8Array(20).fill(7) }
    return this.#random.chance(30) ? [evidence, stranger, { ...evidence, height: driver.height }] : [evidence]
  }

  #note(name: string, succeeded: boolean, log = ''): void {
    if (!succeeded && process.env['CHAIN_SIM_LOG'] !== undefined) console.log(name, log)
    const { ok, failed } = this.outcomes.get(name) ?? { ok: 0, failed: 0 }
    this.outcomes.set(name, succeeded ? { ok: ok + 1, failed } : { ok, failed: failed + 1 })
  }
}

it(
  `${OPERATIONS} random native operations break no invariant, and an export goes on with an equal root`,
  seeded(501, async (random) => {
    const simulation = new Simulation(random)
    const { accounts } = simulation
    let world = await makeWorld({
      random,
      nodes: NODES,
      accounts,
      operators: accounts.map(({ address }) => hexToBytes(address)),
      powers: POWERS,
      maxGas: 30_000_000,
      moduleGenesis: STATE,
    })
    const operations = new Operations({
      random,
      accounts,
      validatorCount: POWERS.length,
      addKey: (validator) => world.driver.addKey(validator),
    })
    for (let blocks = 1; simulation.operations < OPERATIONS; blocks++) {
      await simulation.block(world, operations)
      if (blocks % FORK_EVERY !== 0) continue
      const fork = await forkWorld(world, world.driver.height, NODES)
      await world.close()
      world = fork
    }
    await world.close()
    const single = [...simulation.outcomes].filter(([name]) => !name.includes('+'))
    console.log(single.map(([name, { ok, failed }]) => `${name} ${ok}/${ok + failed}`).join(', '))
    // A shorter run may never see somebody come out of jail.
    if (OPERATIONS < ALL_SUCCEED_FROM) return
    for (const [name, { ok }] of single) expect(ok, `successes of ${name}`).toBeGreaterThan(0)
  }),
)
