/** anvil of npm as the external chain of the bridge. Its package runs on x86-64 Linux alone, and is optional. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createTestClient, http, publicActions, walletActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { choosePorts, endWithUs, repository, until } from '../harness.ts'

const BINARY = join(repository, 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil')
export const hasAnvil = existsSync(BINARY)

const MNEMONIC = 'test test test test test test test test test test test junk'
/** Its accounts, each with 10,000 ether. */
export const anvilAccount = (index: number) => mnemonicToAccount(MNEMONIC, { addressIndex: index })

const clientOf = (url: string) =>
  createTestClient({
    mode: 'anvil',
    chain: foundry,
    account: anvilAccount(0),
    transport: http(url, { retryCount: 0 }),
    pollingInterval: 20,
  })
    .extend(publicActions)
    .extend(walletActions)

export interface Anvil {
  readonly url: string
  readonly client: ReturnType<typeof clientOf>
  close(): Promise<void>
}

export const startAnvil = async (): Promise<Anvil> => {
  const [port = 0] = await choosePorts(1)
  const args = ['--port', String(port), '--host', '127.0.0.1', '--silent', '--mnemonic', MNEMONIC]
  const child = spawn(BINARY, args, { stdio: 'ignore' })
  endWithUs(child)
  const url = `http://127.0.0.1:${port}`
  const client = clientOf(url)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const close = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  await until('anvil', () => client.getChainId())
  return { url, client, close }
}
