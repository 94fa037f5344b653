/** The published form: packed, installed into an empty project, and used from there as JavaScript and with its types. */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'packed-'))
const project = join(folder, 'project')
const modules = join(project, 'node_modules')
const tsc = join(root, 'node_modules', '.bin', 'tsc')
afterAll(() => rmSync(folder, { recursive: true }))

const run = (command: string, args: readonly string[], cwd: string): string => {
  const env = { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env['PATH']}` }
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

beforeAll(() => {
  // The layout of the repository, so that nothing is built within it.
  const source = join(folder, 'packages', 'clob')
  cpSync(import.meta.dirname, source, { recursive: true, filter: (path) => !path.endsWith('/dist') })
  cpSync(join(root, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const offline = ['--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')]
  run('npm', ['pack', '--pack-destination', folder, ...offline], source)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }))
  const [tarball = ''] = globSync(join(folder, '*.tgz'))
  run('npm', ['install', '--legacy-peer-deps', ...offline, tarball], project)
  symlinkSync(join(root, 'node_modules', 'viem'), join(modules, 'viem'))
})

const SCRIPT = `
import { clobActions, LocalBook, placeAction, signClobTx } from '@nat-chain/clob'
import { privateKeyToAccount } from 'viem/accounts'
const account = privateKeyToAccount('0x1111111111111111111111111111111111111111111111111111111111111111')
const action = placeAction({ market: 1, side: 'buy', priceTicks: 25_000, qtyLots: 40 })
const tx = { actions: [action], nonceMs: 1_763_900_000_000, goodTilBlock: 120 }
const { signature } = await signClobTx(account, tx, { nativeChainId: 'nat-2517-1', evmChainId: 2517 })
console.log(signature, typeof clobActions, new LocalBook(1).isReady)
`

it('is JavaScript that signs the example of the specification', () => {
  writeFileSync(join(project, 'use.mjs'), SCRIPT)
  const signature = `0xf162f10ebef66be13fe2bc00ce00e1f3913786058b012c6dcc8be9f40dfc317d${'275d7815885d770d77aa9e1c32dd6f3b45223c3c104cfd6db2c448f860c68b70'}1b`
  expect(run(process.execPath, ['use.mjs'], project)).toBe(`${signature} function false\n`)
})

it('has nothing but what is built, and imports viem alone', () => {
  const installed = join(modules, '@nat-chain', 'clob')
  const files = globSync('**/*', { cwd: installed }).filter((path) => path.includes('.'))
  const others = files.filter((path) => !/^dist\/[\w-]+\.(js|d\.ts)$/.test(path))
  expect(others.toSorted()).toEqual(['README.md', 'package.json'])
  const imported = files
    .filter((path) => path.endsWith('.js'))
    .flatMap((path) => [...readFileSync(join(installed, path), 'utf8').matchAll(/(?:from|import) '([^']+)'/g)])
    .map(([, name = '']) => name)
  expect(imported.filter((name) => !/^(viem|viem\/actions|\.\/[\w-]+\.js)$/.test(name))).toEqual([])
  expect(imported).toContain('viem')
})

it('has types for a page, without those of Node', () => {
  const page = `
import { createWalletClient, custom, webSocket, createPublicClient, type EIP1193Provider } from 'viem'
import { clobActions, LocalBook } from '@nat-chain/clob'
declare const ethereum: EIP1193Provider
const wallet = createWalletClient({ account: '0x0000000000000000000000000000000000000001', transport: custom(ethereum) })
const client = createPublicClient({ transport: webSocket('ws://localhost:8546') })
  .extend(clobActions({ nativeChainId: 'localnat-1', signer: wallet }))
const book = new LocalBook(1)
client.watchBook({ market: 1, onUpdate: (update) => book.apply(update), onError: (error) => console.error(error) })
const { hash } = await client.placeOrder({ market: 1, side: 'sell', priceTicks: 5, qtyLots: 7n, tif: 'post_only' })
export const text: string = hash
// @ts-expect-error there is no such side
await client.placeOrder({ market: 1, side: 'both', priceTicks: 5, qtyLots: 7n })
`
  writeFileSync(join(project, 'page.ts'), page)
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024']
  expect(run(tsc, [...options, '--lib', 'es2024,dom', '--types', '', 'page.ts'], project)).toBe('')
})
