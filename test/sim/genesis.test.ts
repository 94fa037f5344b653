import { describe, expect, it } from 'vitest'
import { checksumAddress, FEE_COLLECTOR_ADDRESS, moduleAddress } from '../../core/address.ts'
import { EMPTY_TRIE_ROOT } from '../../core/hash.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../core/hex.ts'
import { createModules } from '../../app/genesis/modules.ts'
import { BONDED_POOL_ADDRESS } from '../../modules/staking/index.ts'
import type { SimNode } from './sim-node.ts'
import { stateRootOf } from './oracle.ts'
import { GWEI, signTransaction } from './traffic.ts'
import { checkBlock, checkInvariants, committedState, gossip, shownBlock, type World, withWorld } from './world.ts'
import { MODULE_ACCOUNTS } from '../../app/genesis/module-accounts.ts'

const HOLDER = '0x1111111111111111111111111111111111111111'
const CONTRACT = '0x2222222222222222222222222222222222222222'
/** The stake of the validators of the world. */
const STAKED_ANAT = (24n * 10n ** 18n).toString()
const first = (world: World): SimNode => world.nodes[0] as SimNode

describe('block 0', () => {
  it(
    'is a real block whose state root is that of the genesis file, with holders that no account stands for',
    withWorld(
      200,
      {
        initialHeight: 5_000,
        appState: {
          evm: { chain_id: 2517, accounts: [{ address: CONTRACT, code: '0x00', storage: { '0x01': '0x02' } }] },
          bank: {
            balances: [
              { address: CONTRACT, coins: [{ denom: 'anat', amount: '9' }] },
              { address: HOLDER, coins: [{ denom: 'ibc/9', amount: '4' }] },
            ],
          },
        },
      },
      async (world) => {
        const { driver } = world
        const node = first(world)
        expect([node.application.height, node.application.info().lastBlockHeight]).toEqual([4_999, 0])
        const genesis = await shownBlock(node, { tag: 'latest' })
        expect(genesis).toMatchObject({ number: '0x1387', extraData: '0x', gasUsed: '0x0' })
        expect(await stateRootOf(node.store)).toBe(genesis['stateRoot'])
        checkInvariants(node)
        await node.restart()
        const { block, response } = await driver.step()
        expect(block.height).toBe(5_000)
        await checkBlock(node, block, response.appHash)
        await driver.step()
        const context = { state: committedState(node), height: node.application.height, chainId: 'localnat-1' }
        const bank = createModules(node.store).find(({ name }) => name === 'bank')
        const coins = (denom: string, amount: string) => ({ coins: [{ denom, amount }] })
        const exported = bank?.exportGenesis(context) as Record<string, Iterable<unknown>> | undefined
        expect([...(exported?.['balances'] ?? [])]).toEqual([
          { address: HOLDER, ...coins('ibc/9', '4') },
          { address: CONTRACT, ...coins('anat', '9') },
          { address: checksumAddress(BONDED_POOL_ADDRESS), ...coins('anat', STAKED_ANAT) },
        ])
        expect([...(exported?.['supply'] ?? [])]).toEqual([
          ...coins('anat', (BigInt(STAKED_ANAT) + 9n).toString()).coins,
          ...coins('ibc/9', '4').coins,
        ])
      },
    ),
  )
})

describe('system accounts', () => {
  const CLOB = bytesToHex(moduleAddress('clob'))
  const ADDRESSES: readonly Hex[] = [...MODULE_ACCOUNTS.map(moduleAddress), FEE_COLLECTOR_ADDRESS].map(bytesToHex)

  it(
    'survive calls without value: nothing but the sender changes, and the fees arrive',
    withWorld(201, {}, async (world) => {
      const { driver, nodes, accounts } = world
      const node = first(world)
      await driver.step()
      // The order book writes the time of every block.
      const states = () =>
        ADDRESSES.map((address) => {
          const account = committedState(node).account(hexToBytes(address))
          return address === CLOB && account !== undefined ? { ...account, storageRoot: EMPTY_TRIE_ROOT } : account
        })
      const before = states()
      expect(before.map((account) => account?.nonce)).toEqual(ADDRESSES.map(() => 1n))
      const sender = accounts[0] as World['accounts'][number]
      const balance = committedState(node).account(hexToBytes(sender.address))?.balance ?? 0n
      for (const [index, to] of ADDRESSES.entries()) {
        for (const [more, type] of ([0, 1, 2] as const).entries()) {
          const nonce = index * 3 + more
          gossip(nodes, await signTransaction(sender, type, { nonce, to, gas: 60_000n, maxFeePerGas: 3n * GWEI }))
        }
      }
      const { response } = await driver.step()
      expect(response.transactionResults.slice(1).map(({ code }) => code)).toEqual(Array(3 * ADDRESSES.length).fill(0))
      const after = states()
      const shown = await shownBlock(node)
      const receipts = (await node.ask('blockReceipts', { block: { tag: 'latest' } })) as Record<string, Hex>[]
      const fees = receipts.reduce(
        (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed ?? '0x') * BigInt(effectiveGasPrice ?? '0x'),
        0n,
      )
      const collector = before.at(-1)
      expect(fees).toBeGreaterThan(0n)
      expect(after).toEqual([
        ...before.slice(0, -1),
        collector === undefined ? undefined : { ...collector, balance: collector.balance + fees },
      ])
      const paid = committedState(node).account(hexToBytes(sender.address))
      expect([paid?.nonce, paid?.balance]).toEqual([3n * BigInt(ADDRESSES.length), balance - fees])
      expect(await stateRootOf(node.store)).toBe(shown['stateRoot'])
    }),
  )
})
