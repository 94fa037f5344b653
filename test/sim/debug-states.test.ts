/** The state in the middle of a block, the pages of it, and what blocks changed, beside the ways that other questions have. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { contractAddress } from '../../core/address.ts'
import { bytesToHex, hexToBytes, type Hex } from '../../core/hex.ts'
import type { QuestionName, Questions } from '../../app/ports.ts'
import { assemble, deployment } from '../e2e/parity/assemble.ts'
import { blockOf, openLone } from '../hostile/lone-application.ts'
import { signTransaction } from './traffic.ts'
import { keccak256 } from '../../core/hash.ts'
import { invariant } from '../../core/errors.ts'
import { compareBytes } from '../../core/bytes.ts'
import { seeded } from './random.ts'
import type { SimNode } from './sim-node.ts'
import { makeWorld } from './world.ts'

interface Dump {
  readonly accounts: Readonly<Record<string, { readonly address: Hex; readonly balance: string; readonly key: Hex }>>
  readonly next?: string
}

const pagesOf = async (node: SimNode, number: number, most: number): Promise<readonly Dump[]> => {
  const pages: Dump[] = []
  for (let start: Hex | undefined = '0x'; start !== undefined; ) {
    const question = { block: { number }, start, most, withCode: true, withStorage: true } as const
    const page = (await node.ask('accountRange', question)) as Dump
    pages.push(page)
    start = page.next === undefined ? undefined : `0x${Buffer.from(page.next, 'base64').toString('hex')}`
  }
  return pages
}

const accountsIn = (pages: readonly Dump[]) => pages.flatMap(({ accounts }) => Object.values(accounts))

it(
  'pages of accounts hold all of them once, in the order of their hashes, with what is asked for one by one',
  seeded(61, async (random) => {
    const folder = mkdtempSync(join(tmpdir(), 'states-'))
    const world = await makeWorld({ random, nodes: [{ name: 'a', path: join(folder, 'a'), workers: 1 }] })
    try {
      for (let count = 0; count < 12; count++) await world.driver.step()
      const [node] = world.nodes
      invariant(node !== undefined, 'a world has nodes')
      const height = node.application.height
      for (const number of [height, height - 5]) {
        const accounts = accountsIn(await pagesOf(node, number, 7))
        const keys = accounts.map(({ key }) => hexToBytes(key))
        const sorted = keys.toSorted(compareBytes)
        expect(new Set(accounts.map(({ address }) => address)).size).toBe(accounts.length)
        // Within a page accounts come by their names, as Go prints a map.
        const first = accountsIn((await pagesOf(node, number, 256)).slice(0, 1))
        expect(first.map(({ key }) => key).toSorted()).toEqual(
          sorted.map((key) => `0x${Buffer.from(key).toString('hex')}`),
        )
        for (const { address, balance, key } of accounts) {
          expect(BigInt((await node.ask('balance', { address, block: { number } })) as string)).toBe(BigInt(balance))
          expect(key).toBe(`0x${Buffer.from(keccak256(hexToBytes(address))).toString('hex')}`)
        }
      }
      const [before, after] = await Promise.all([
        pagesOf(node, height - 3, 256).then(accountsIn),
        pagesOf(node, height, 256).then(accountsIn),
      ])
      const known = new Map(before.map((account) => [account.address, JSON.stringify(account)]))
      const changed = after.filter((account) => known.get(account.address) !== JSON.stringify(account))
      const modified = await node.ask('modifiedAccounts', { first: { number: height - 3 }, last: { number: height } })
      expect(new Set(modified as Hex[])).toEqual(new Set(changed.map(({ address }) => address)))
    } finally {
      await world.close()
      rmSync(folder, { recursive: true })
    }
  }),
)

it('storage is that before a transaction, and roots are those behind each', async () => {
  const lone = await openLone({ workers: true })
  const [account, other] = lone.accounts
  invariant(account !== undefined && other !== undefined, 'there are accounts')
  const ask = async <Name extends QuestionName>(name: Name, parameters: Questions[Name]): Promise<unknown> =>
    JSON.parse(await lone.application.ask(name, parameters, 0)) as unknown
  const decide = async (height: number, raws: readonly Uint8Array[]): Promise<Hex> => {
    await lone.application.finalizeBlock(blockOf(height, raws))
    await lone.application.commit()
    return ((await ask('block', { block: { number: height }, full: false })) as { hash: Hex }).hash
  }
  const address = bytesToHex(contractAddress(hexToBytes(account.address), 0n))
  const word = (value: number): string => value.toString(16).padStart(64, '0')
  const store = (nonce: number, slot: number, value: number) =>
    signTransaction(account, 2, { nonce, to: address, data: `0x${word(slot)}${word(value)}`, gas: 100_000n })
  const code = deployment(assemble('32 CALLDATALOAD 0 CALLDATALOAD SSTORE STOP'))
  await decide(1, [await signTransaction(account, 2, { nonce: 0, data: code, gas: 400_000n })])
  await decide(2, [await store(1, 1, 16), await store(2, 2, 32)])
  const raws = [await store(3, 1, 0), await store(4, 3, 9), await store(5, 2, 7)]
  const hash = await decide(3, raws)

  const storageAt = async (txIndex: number): Promise<Readonly<Record<string, number>>> => {
    const { storage } = (await ask('storageRange', { block: { hash }, txIndex, address, start: '0x', most: 10 })) as {
      storage: Record<Hex, { key: Hex; value: Hex }>
    }
    expect(Object.keys(storage)).toEqual(Object.keys(storage).toSorted())
    return Object.fromEntries(Object.values(storage).map(({ key, value }) => [Number(key), Number(value)]))
  }
  expect(await storageAt(0)).toEqual({ 1: 16, 2: 32 })
  expect(await storageAt(1)).toEqual({ 2: 32 })
  expect(await storageAt(2)).toEqual({ 2: 32, 3: 9 })

  const roots = (await ask('intermediateRoots', { hash })) as Hex[]
  expect(new Set(roots).size).toBe(raws.length)
  expect(await ask('modifiedAccounts', { first: { hash } })).toContain(address)
})
