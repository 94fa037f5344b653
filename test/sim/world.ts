/** A chain ready to run: genesis, funded accounts, traffic into every pool, and checks after each block. */
import { expect } from 'vitest'
import type { PrivateKeyAccount } from 'viem/accounts'
import { bytesToHex, type Hex } from '../../core/hex.ts'
import type { BlockReference, ProposedBlock } from '../../app/ports.ts'
import { createModules } from '../../app/genesis/modules.ts'
import { LatestState } from '../../store/latest.ts'
import type { StateReader } from '../../store/state.ts'
import { type ChainSetup, Driver, GENESIS_TIME_NS, NANOSECONDS_PER_MILLISECOND } from './driver.ts'
import { blockFacts } from './oracle.ts'
import { type Random, seeded } from './random.ts'
import { SimNode, type SimNodeOptions, type VirtualClock } from './sim-node.ts'
import { EVM_CHAIN_ID, makeAccounts, Traffic } from './traffic.ts'
import { makeValidator, type Validator } from './validators.ts'

const ACCOUNTS = 12
const FUNDS_ANAT = 10n ** 24n

export interface WorldOptions extends Partial<ChainSetup> {
  readonly random: Random
  readonly nodes: readonly Omit<SimNodeOptions, 'clock'>[]
  /** One validator for each power, where `validators` does not name them. */
  readonly powers?: readonly bigint[]
  /** Forks with their first second, as in app_state.evm.hardforks. */
  readonly hardforks?: Readonly<Record<string, number>>
  /** Members of app_state beside those that follow from the accounts and validators. */
  readonly moduleGenesis?: Readonly<Record<string, unknown>>
  /** The accounts of a chain that goes on; made and funded when left out. */
  readonly accounts?: readonly PrivateKeyAccount[]
}

export interface World {
  readonly driver: Driver
  readonly nodes: readonly SimNode[]
  readonly clock: VirtualClock
  readonly accounts: readonly PrivateKeyAccount[]
  readonly traffic: Traffic
  /** A node that has the head of the others takes part from now on. */
  join(node: SimNode): void
  close(): Promise<void>
}

export const makeGenesis = (accounts: readonly PrivateKeyAccount[], hardforks: WorldOptions['hardforks']): object => ({
  evm: { chain_id: EVM_CHAIN_ID, ...(hardforks === undefined ? {} : { hardforks }) },
  bank: {
    balances: accounts.map(({ address }, index) => ({
      address,
      coins: [
        { denom: 'anat', amount: FUNDS_ANAT.toString() },
        ...(index % 3 === 0 ? [{ denom: 'ibc/1234', amount: '77' }] : []),
      ],
    })),
  },
})

export const makeWorld = async (options: WorldOptions): Promise<World> => {
  const {
    random,
    nodes: nodeOptions,
    powers = [10n, 4n, 3n, 7n],
    hardforks,
    accounts: given,
    validators: named,
    moduleGenesis,
    ...setup
  } = options
  const startMs = Number((setup.genesisTimeNs ?? GENESIS_TIME_NS) / NANOSECONDS_PER_MILLISECOND)
  const clock: VirtualClock = {
    nowMs: 0,
    get wallMs() {
      return startMs + this.nowMs
    },
  }
  const accounts = given ?? makeAccounts(random, ACCOUNTS)
  const validators: readonly Validator[] =
    named ?? powers.map((power, index) => makeValidator(`validator ${index}`, power))
  const nodes: SimNode[] = []
  for (const each of nodeOptions) nodes.push(await SimNode.open({ clock, ...each }))
  const chain: ChainSetup = {
    chainId: 'localnat-1',
    appState: { ...makeGenesis(accounts, hardforks), ...moduleGenesis },
    validators,
    maxGas: 3_000_000,
    ...setup,
  }
  const driver = new Driver(random, chain, nodes, clock)
  await driver.start()
  const nonceOf = (account: PrivateKeyAccount): Promise<number> => pendingNonce(nodes[0] as SimNode, account)
  const traffic = new Traffic({ random, accounts, chainId: chain.chainId, nonceOf })
  return {
    driver,
    nodes,
    clock,
    accounts,
    traffic,
    join: (node) => void nodes.push(node),
    close: async () => {
      for (const node of nodes) await node.close()
    },
  }
}

/** A seeded test with two nodes in memory. */
export const withWorld = (
  salt: number,
  options: Omit<WorldOptions, 'random' | 'nodes'>,
  run: (world: World) => Promise<void>,
): (() => Promise<void>) =>
  seeded(salt, async (random) => {
    const world = await makeWorld({ random, nodes: [{ name: 'a' }, { name: 'b' }], ...options })
    try {
      await run(world)
    } finally {
      await world.close()
    }
  })

/** Members of a block as JSON-RPC shows it. */
export const shownBlock = async (
  node: SimNode,
  block: BlockReference = { tag: 'latest' },
): Promise<Record<string, Hex>> => (await node.ask('block', { block, full: false })) as Record<string, Hex>

export const pendingNonce = async (node: SimNode, { address }: PrivateKeyAccount): Promise<number> =>
  Number(await node.ask('transactionCount', { address, block: { tag: 'pending' } }))

/** Sends transactions to every pool, as gossip would; pools may refuse them. */
export const gossip = (nodes: readonly SimNode[], raw: Uint8Array): boolean => {
  let accepted = false
  for (const node of nodes) accepted = node.application.checkTx(raw, false).code === 0 || accepted
  return accepted
}

/** Committed state as it stands in the database, without the caches of the application. */
export const committedState = (node: SimNode): StateReader => new LatestState(node.store, 10_000)

export const checkInvariants = (node: SimNode): void => {
  const { height, parameters } = node.application
  const context = { state: committedState(node), height, chainId: parameters?.chainId ?? '' }
  for (const { invariants } of createModules(node.store)) {
    for (const { name, check } of invariants) expect(check(context), `${name} at height ${height}`).toBeUndefined()
  }
}

/** Everything about a block that anyone outside can compute again. */
export const checkBlock = async (node: SimNode, block: ProposedBlock, appHash: Uint8Array): Promise<void> => {
  const { json, ...facts } = await blockFacts(node, block.height)
  const parent = (await node.ask('block', { block: { number: block.height - 1 }, full: false })) as { hash: string }
  expect({ ...json, size: Number(json.size), gasUsed: BigInt(json.gasUsed) }).toMatchObject({
    hash: bytesToHex(appHash),
    parentHash: parent.hash,
    transactionsRoot: facts.transactionsRoot,
    receiptsRoot: facts.receiptsRoot,
    logsBloom: facts.logsBloom,
    extraData: bytesToHex(block.hash),
    gasUsed: facts.gasUsed,
    size: facts.sizeBytes,
  })
  expect(facts.headerHash).toBe(json.hash)
}
