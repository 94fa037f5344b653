/** What was answered is in the pool after every start, however often the node starts. */
import { getContractAddress } from 'viem'
import { expect, it } from 'vitest'
import { POOL_CODES } from '../../app/errors.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { sendMessage, signNative } from './native-transactions.ts'
import { deploy, PROGRAMS } from './programs.ts'
import { GWEI, signTransaction } from './traffic.ts'
import { Random } from './random.ts'
import type { SimNode } from './sim-node.ts'
import { gossip, makeWorld, shownBlock, withWorld, type World } from './world.ts'

type Account = World['accounts'][number]

const signSend = (from: Account, to: Account, sequence: number, gasPrice: bigint): Promise<Uint8Array> =>
  signNative({
    chainId: 'localnat-1',
    messages: [sendMessage(from, hexToBytes(to.address), [{ denom: 'anat', amount: '1' }])],
    signers: [{ account: from, sequence }],
    gasPrice,
  })

const BLOCK_GAS = 400_000
const PRICE = 3n * GWEI

it(
  'a native transaction behind one that was replaced meanwhile',
  withWorld(330, {}, async ({ driver, nodes: [node], accounts: [account, other] }) => {
    const [from, to] = [account, other] as readonly [Account, Account]
    await driver.step()
    const sign = (maxFeePerGas: bigint): Promise<Uint8Array> =>
      signTransaction(from, 2, { nonce: 0, to: to.address, maxFeePerGas, tip: maxFeePerGas / 4n })
    const native = await signSend(from, to, 1, 40n * GWEI)
    const [first, replacement] = [await sign(10n * GWEI), await sign(20n * GWEI)]
    await node?.ask('sendRawTransaction', { raw: bytesToHex(first) })
    expect(node?.application.checkTx(native, false)).toMatchObject({ code: 0 })
    await node?.ask('sendRawTransaction', { raw: bytesToHex(replacement) })
    for (let start = 1; start <= 3; start++) {
      await node?.restart()
      expect(node?.application.checkTx(native, true), `after start ${start}`).toMatchObject({ code: 0 })
    }
    const { block } = await driver.step(node)
    expect(block.transactions.slice(-2)).toEqual([replacement, native])
  }),
)

it(
  'a native transaction whose price the base fee has passed meanwhile',
  withWorld(331, { maxGas: BLOCK_GAS }, async ({ driver, nodes, accounts }) => {
    const [node] = nodes
    const [filler, from, to] = accounts as readonly [Account, Account, Account]
    const baseFee = async (): Promise<bigint> =>
      node === undefined ? 0n : BigInt((await shownBlock(node))['baseFeePerGas'] ?? '0x0')
    const fees = { maxFeePerGas: 100n * GWEI, tip: 50n * GWEI }
    gossip(nodes, await signTransaction(filler, 2, { nonce: 0, data: deploy(PROGRAMS.burner), gas: 300_000n, ...fees }))
    await driver.step()
    const native = await signSend(from, to, 0, PRICE)
    expect(node?.application.checkTx(native, false)).toMatchObject({ code: 0 })
    // Each takes a whole block.
    const burner = getContractAddress({ from: filler.address, nonce: 0n })
    for (let nonce = 1; (await baseFee()) <= PRICE; nonce++) {
      gossip(nodes, await signTransaction(filler, 2, { nonce, to: burner, gas: BigInt(BLOCK_GAS), ...fees }))
      await driver.step()
    }
    const waiting = { code: POOL_CODES.waiting }
    expect(node?.application.checkTx(native, true)).toMatchObject(waiting)
    await node?.restart()
    expect(node?.application.checkTx(native, true)).toMatchObject(waiting)
    let included: readonly Uint8Array[] = []
    for (let i = 0; i < 10 && included.length < 2; i++) included = (await driver.step(node)).block.transactions
    expect(included.at(-1)).toEqual(native)
  }),
)

it('what a transaction replaces that the disk then does not take', async () => {
  let isFull = false
  const kept: Uint8Array[] = []
  const write = (raws: readonly Uint8Array[], from: number): void => {
    if (isFull) throw new Error('ENOSPC: no space left on device')
    kept.splice(from, kept.length, ...raws)
  }
  const journal = {
    load: () => kept,
    append: (raws: readonly Uint8Array[]) => write(raws, kept.length),
    rewrite: (raws: readonly Uint8Array[]) => write(raws, 0),
  }
  const world = await makeWorld({ random: new Random(7), nodes: [{ name: 'a', journal }] })
  const [[node], [sender]] = [world.nodes, world.accounts] as [readonly [SimNode], readonly [Account]]
  const sign = (gwei: bigint, nonce = 0): Promise<Uint8Array> =>
    signTransaction(sender, 2, { nonce, to: sender.address, maxFeePerGas: gwei * GWEI, tip: (gwei * GWEI) / 2n })
  const [first, second, replacement] = [await sign(20n), await sign(20n, 1), await sign(40n)]
  const send = (raw: Uint8Array): Promise<unknown> => node.ask('sendRawTransaction', { raw: bytesToHex(raw) })
  await send(first)
  await send(second)
  isFull = true
  await expect(send(replacement)).rejects.toThrow('the disk of the node does not take it')
  expect(await node.ask('txpoolStatus', {})).toEqual({ pending: '0x2', queued: '0x0' })
  isFull = false
  const { block } = await world.driver.step(node)
  expect(block.transactions.slice(-2)).toEqual([first, second])
  await world.close()
})
