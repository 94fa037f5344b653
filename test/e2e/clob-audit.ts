/** test/audit: a second implementation of the order book, in Python, written from docs/clob-spec.md. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { devnetAccounts } from '../../bin/cli/keys/devnet-accounts.ts'
import { EVM_CHAIN_ID, PATIENCE_MS, repository, type TestNode } from './harness.ts'
import { findPython } from './python.ts'

export const python = findPython()
if (python === undefined) console.log('skipped: the audit needs Python 3.10 or newer, and there is none')

/** What the program prints. Rejects with it where it ends with another status than 0. */
export const audit = async (args: readonly string[], keys: readonly string[] = []): Promise<string> => {
  const env = { ...process.env, KEYS: keys.join(','), EVM_CHAIN_ID: `${EVM_CHAIN_ID}` }
  const options = { env, timeout: PATIENCE_MS, maxBuffer: 2 ** 24 }
  const command = [join(repository, 'test', 'audit'), ...args]
  const { stdout } = await promisify(execFile)(python ?? '', command, options).catch((error: unknown) => {
    const said = error instanceof Error && 'stdout' in error ? `: ${String(error.stdout)}` : ''
    throw new TypeError(`${String(error)}${said}`)
  })
  return stdout
}

const urlsOf = (node: TestNode): readonly string[] => ['--comet', node.urls.comet, '--eth', node.urls.http]

export const auditRun = (node: TestNode, from: number, to: number): Promise<string> =>
  audit(['run', ...urlsOf(node), '--from', `${from}`, '--to', `${to}`])

/** Every block that the node has, from the first that an audit can check. */
export const auditAll = async (node: TestNode): Promise<string> => {
  const last = await node.height()
  await node.untilHeight(last + 1)
  return await auditRun(node, 1, last)
}

export const auditLies = (node: TestNode, from: number, to: number): Promise<string> =>
  audit(['lies', ...urlsOf(node), '--from', `${from}`, '--to', `${to}`])

/** Seeded orders of the first accounts, spread over the nodes. */
export const auditTrade = (nodes: readonly TestNode[], seed: number, blocks: number, each: number): Promise<string> => {
  const keys = devnetAccounts()
    .slice(0, 5)
    .map(({ privateKey }) => privateKey)
  const numbers = ['--seed', `${seed}`, '--blocks', `${blocks}`, '--each-block', `${each}`]
  return audit(['trade', ...nodes.flatMap(({ urls }) => ['--comet', urls.comet]), ...numbers], keys)
}
