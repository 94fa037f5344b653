import { describe, expect, it } from 'vitest'
import { getContractAddress } from 'viem'
import { parseGenesis } from '../../app/genesis/genesis.ts'
import { writeGenesisBlock } from '../../app/genesis/genesis-block.ts'
import { createModules } from '../../app/genesis/modules.ts'
import { bytesToHex, type Hex } from '../../core/hex.ts'
import { scanStateAt } from '../../store/scan-at.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { GenesisState } from '../../store/genesis-state.ts'
import { exportText, forkWorld } from './fork.ts'
import { scanAll, stateRootOf } from './oracle.ts'
import { deploy, PROBE_SLOTS, PROGRAMS, words } from './programs.ts'
import { readValidatorSets } from '../../modules/consensus/index.ts'
import type { SimNode } from './sim-node.ts'
import type { Validator } from './validators.ts'
import { signTransaction } from './traffic.ts'
import {
  checkBlock,
  checkInvariants,
  committedState,
  gossip,
  makeWorld,
  shownBlock,
  type World,
  withWorld,
} from './world.ts'

const first = (world: World): SimNode => world.nodes[0] as SimNode

const run = async (world: World, blocks: number): Promise<void> => {
  const { driver, nodes, traffic } = world
  for (let i = 0; i < blocks; i++) {
    for (let j = driver.random.below(8); j > 0; j--) gossip(nodes, await traffic.next())
    const { block, response } = await driver.step()
    await checkBlock(first(world), block, response.appHash)
  }
}

/** The flat state of a height, as text. */
const flatState = (node: SimNode, height: number): readonly string[] => {
  const at = { store: node.store, height, committedHeight: () => node.application.height }
  return ['a', 's', 'v'].flatMap((tag) =>
    [...scanStateAt(at, Buffer.from(tag))].map(([key, value]) => `${bytesToHex(key)} ${bytesToHex(value)}`),
  )
}

interface Changeable {
  nonce?: string
  readonly storage?: Record<string, string>
}

/** The members that are changed here. */
interface ExportedState {
  readonly evm: { readonly accounts: Changeable[] }
  readonly bank: { readonly balances: unknown[] }
  readonly feemarket: { base_fee: string }
  readonly consensus: { validator_sets?: unknown }
  export?: unknown
}

const refusal = async (act: () => unknown): Promise<string> => {
  try {
    await act()
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

describe('a chain from an export', () => {
  it(
    'begins with the same state at the head and at old heights, and goes on',
    withWorld(300, {}, async (world) => {
      await run(world, 40)
      for (const height of [0, 1, 17, 40]) {
        const fork = await forkWorld(world, height, [{ name: 'c' }, { name: 'd' }])
        try {
          expect(flatState(first(fork), height)).toEqual(flatState(first(world), height))
          expect(await stateRootOf(first(fork).store)).toBe(
            (await shownBlock(first(world), { number: height }))['stateRoot'],
          )
          checkInvariants(first(fork))
          const baseFee = async (node: SimNode) => (await shownBlock(node, { number: height + 1 }))['baseFeePerGas']
          await run(fork, 6)
          if (height < 40) expect(await baseFee(first(fork))).toBe(await baseFee(first(world)))
          checkInvariants(first(fork))
          // And once more from there: what an export loses, the second one shows.
          const again = await forkWorld(fork, height + 6, [{ name: 'e' }])
          await run(again, 2)
          await again.close()
        } finally {
          await fork.close()
        }
      }
    }),
  )

  it(
    'has the hashes of old blocks for BLOCKHASH and for the contract of EIP-2935',
    withWorld(301, {}, async (world) => {
      const { driver, nodes, accounts } = world
      const [sender] = accounts
      if (sender === undefined) throw new RangeError('no accounts')
      const to = getContractAddress({ from: sender.address, nonce: 0n })
      gossip(nodes, await signTransaction(sender, 2, { nonce: 0, data: deploy(PROGRAMS.probe), gas: 400_000n }))
      gossip(nodes, await signTransaction(sender, 2, { nonce: 1, data: deploy(PROGRAMS.historian), gas: 400_000n }))
      for (let i = 0; i < 7; i++) await driver.step()
      const height = 7
      const hashes = new Map<number, Hex>()
      for (let number = 0; number <= height; number++) {
        hashes.set(number, (await shownBlock(first(world), { number }))['hash'] as Hex)
      }
      const fork = await forkWorld(world, height, [{ name: 'c' }, { name: 'd' }])
      const node = first(fork)
      const historian = getContractAddress({ from: sender.address, nonce: 1n })
      const asked = [1, 4, 6, 7]
      for (const [index, number] of asked.entries()) {
        const fields = { nonce: 2 + index, to: historian, data: words(BigInt(number)), gas: 100_000n }
        gossip(fork.nodes, await signTransaction(sender, 2, fields))
      }
      gossip(fork.nodes, await signTransaction(sender, 2, { nonce: 2 + asked.length, to, gas: 400_000n }))
      await fork.driver.step()
      const read = async (address: Hex, slot: number): Promise<Hex> =>
        (await node.ask('storage', { address, slot: words(BigInt(slot)), block: { tag: 'latest' } })) as Hex
      for (const number of [1, 4, 6]) expect(await read(historian, number)).toBe(hashes.get(number))
      // The block at the height of the export is the new chain's own.
      const begun = (await shownBlock(node, { number: height }))['hash']
      expect(await read(historian, height)).toBe(begun)
      expect(begun).not.toBe(hashes.get(height))
      expect(await read(to, PROBE_SLOTS.parentHash)).toBe(begun)
      expect(await read(to, PROBE_SLOTS.parentHashByContract)).toBe(begun)
      await fork.close()
    }),
  )

  it(
    'begins with its newest validators, where the old chain had others until its next block',
    withWorld(304, {}, async (world) => {
      await run(world, 6)
      const { setup, random } = world.driver
      const state = JSON.parse(exportText(first(world), 6)) as ExportedState
      const encode = ({ publicKey, power }: Validator) => ({
        pub_key: Buffer.from(publicKey).toString('base64'),
        power: power.toString(),
      })
      const newest = [...setup.validators].sort((a, b) => Buffer.compare(a.publicKey, b.publicKey))
      const older = newest.slice(1)
      state.consensus.validator_sets = [
        { from_height: '1', validators: older.map(encode) },
        { from_height: '8', validators: newest.map(encode) },
      ]
      delete state.export
      const { validators: _, ...same } = setup
      const fork = await makeWorld({
        ...same,
        random,
        nodes: [{ name: 'c' }, { name: 'd' }],
        accounts: world.accounts,
        powers: setup.validators.map(({ power }) => power),
        appState: state,
        initialHeight: 7,
      })
      const sets = () => readValidatorSets(committedState(first(fork)))
      expect(sets().map(({ fromHeight, validators }) => [fromHeight, validators.length])).toEqual([
        [1, older.length],
        [8, newest.length],
      ])
      // Vote extensions of all of them are checked from the second block on.
      await run(fork, 4)
      expect(sets().map(({ fromHeight, validators }) => [fromHeight, validators.length])).toEqual([[7, newest.length]])
      await fork.close()
    }),
  )

  it(
    'is refused when the file was cut short or changed',
    withWorld(302, {}, async (world) => {
      await run(world, 12)
      const { setup, consensusParameters } = world.driver
      const text = exportText(first(world), 12)
      const request = {
        timeNs: 0n,
        chainId: setup.chainId,
        consensusParameters,
        validators: setup.validators,
        appState: new Uint8Array(0),
        initialHeight: 13,
      }
      const start = (
        change: (state: ExportedState) => unknown,
        changed: Partial<typeof request> = {},
      ): Promise<string> =>
        refusal(() => {
          const state = JSON.parse(text) as ExportedState
          change(state)
          const genesis = parseGenesis(state, setup.chainId)
          const store = openMemoryStore()
          writeGenesisBlock({ store, modules: createModules(store), genesis, request: { ...request, ...changed } })
        })
      expect(await start(() => undefined)).toBe('accepted')
      expect(await start((state) => state.evm.accounts.pop())).toMatch(/export.evm_accounts: is \d+, but the file has/)
      expect(await start((state) => state.bank.balances.pop())).toMatch(/export.bank_balances|supply/)
      expect(
        await start((state) => {
          const { storage = {} } =
            state.evm.accounts.find(({ storage: held = {} }) => Object.keys(held).length > 2) ?? {}
          delete storage[Object.keys(storage)[0] ?? '']
        }),
      ).toMatch(/export.evm_slots/)
      expect(await start((state) => ((state.evm.accounts[0] as Changeable).nonce = '77'))).toMatch(
        /^the state root is 0x[0-9a-f]{64}, the export's is 0x/,
      )
      expect(await start((state) => delete state.consensus.validator_sets)).toMatch(/^the state root is/)
      expect(await start((state) => (state.feemarket.base_fee = '1900000001'))).toMatch(/^the state root is/)
      expect(await start(() => undefined, { initialHeight: 12 })).toBe(
        'initial_height must be 13, after the height of the export',
      )
      expect(await start(() => undefined, { validators: setup.validators.slice(1) })).toMatch(/newest set must be/)
      // Whoever wants another chain says so by leaving the check out.
      const changed = (state: ExportedState): void => {
        delete state.export
        delete state.consensus.validator_sets
        state.evm.accounts.pop()
      }
      expect(await start(changed, { initialHeight: 1 })).toBe('accepted')
      for (let at = 1; at < text.length; at += 1 + Math.floor(text.length / 50)) {
        expect(await refusal(() => parseGenesis(JSON.parse(text.slice(0, at)), setup.chainId))).not.toBe('accepted')
      }
    }),
  )
})

describe('the state of a genesis', () => {
  it(
    'has the same root and content in portions of any size',
    withWorld(303, {}, async (world) => {
      await run(world, 15)
      const genesis = parseGenesis(JSON.parse(exportText(first(world), 15)), 'localnat-1')
      const contents = [1, 7, 100, 1_000_000].map((portion) => {
        const store = openMemoryStore()
        const state = new GenesisState(store, portion)
        const context = { state, height: 15, timeNs: 0n, chainId: 'localnat-1', emit: () => undefined }
        for (const { address, nonce, code, storage } of genesis.contracts) {
          state.setAccount(address, {
            balance: 5n,
            nonce,
            codeHash: state.setCode(code),
            storageRoot: new Uint8Array(32),
          })
          for (const [slot, value] of storage) state.setStorage(address, slot, value)
        }
        createModules(store)[1]?.initGenesis(context, genesis.modules['bank'])
        const root = bytesToHex(state.finish())
        const columns = (['state', 'trie', 'code'] as const).map((column) =>
          scanAll(store, column).map(([key, value]) => `${bytesToHex(key)} ${bytesToHex(value)}`),
        )
        return { root, columns }
      })
      for (const content of contents) expect(content).toEqual(contents[0])
    }),
  )
})
