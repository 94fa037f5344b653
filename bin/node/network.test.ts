import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, defineChain, http, parseEther } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { DEVNET_MNEMONIC } from '../cli/keys/devnet-accounts.ts'
import { findCometbft } from './supervise/cometbft-binary.ts'
import { editCometToml, makeHome } from '../testing/make-home.ts'
import {
  askJsonRpc,
  blockNumber,
  choosePorts,
  type NodePorts,
  type RunningChain,
  runChain,
  startChain,
} from '../testing/node-process.ts'

const SLOW = { interval: 100 }
const sender = mnemonicToAccount(DEVNET_MNEMONIC)
const receiver = mnemonicToAccount(DEVNET_MNEMONIC, { addressIndex: 1 })

const cometbft = await findCometbft().catch((error: unknown) => {
  console.log(`skipped: a network needs CometBFT: ${String(error)}`)
  return undefined
})

const folder = mkdtempSync(join(tmpdir(), 'network-'))
const running: RunningChain[] = []
const status = z.object({ nodeId: z.string() })

const start = (home: string, ports: NodePorts): RunningChain => {
  const node = startChain('start', '--home', home, ...ports.flags)
  running.push(node)
  return node
}

const clientsOf = (url: string) => {
  const chain = defineChain({
    id: 2517,
    name: 'local',
    nativeCurrency: { name: 'NAT', symbol: 'NAT', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  return {
    wallet: createWalletClient({ account: sender, chain, transport: http() }),
    client: createPublicClient({ chain, transport: http(), pollingInterval: 100 }),
  }
}

const makeValidator = (home: string): Promise<void> =>
  makeHome(home, { chainId: 'localnat-1', accounts: [sender.address], balance: '10nat', timeoutCommitMs: 200 })

afterAll(async () => {
  for (const node of running) node.process.kill('SIGTERM')
  await Promise.all(running.map((node) => node.exited))
  rmSync(folder, { recursive: true, force: true })
})

describe.skipIf(cometbft === undefined)('a full node', () => {
  it('fetches the genesis, catches up, and gets its transactions into blocks of the validator', async () => {
    const [validator, full] = [join(folder, 'validator'), join(folder, 'full')]
    const [validatorPorts, fullPorts] = [await choosePorts(), await choosePorts()]
    await makeValidator(validator)
    start(validator, validatorPorts)
    await expect.poll(() => blockNumber(validatorPorts.jsonRpcUrl), SLOW).toBeGreaterThanOrEqual(3)

    await runChain('init', 'full', '--chain-id', 'localnat-1', '--home', full)
    expect((await runChain('genesis', 'fetch', validatorPorts.rpcUrl, '--home', full)).status).toBe(0)
    const { stdout } = await runChain('status', '--home', validator, ...validatorPorts.flags)
    const peer = `${status.parse(JSON.parse(stdout)).nodeId}@${validatorPorts.p2pAddress}`
    editCometToml(full, { 'p2p.persistent_peers': `"${peer}"` })
    start(full, fullPorts)
    await expect.poll(() => blockNumber(fullPorts.jsonRpcUrl), SLOW).toBeGreaterThanOrEqual(3)
    await expect.poll(() => askJsonRpc(fullPorts.jsonRpcUrl, 'eth_syncing'), SLOW).toBe(false)

    const { wallet, client } = clientsOf(fullPorts.jsonRpcUrl)
    const hash = await wallet.sendTransaction({ to: receiver.address, value: parseEther('1') })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    const block = { blockHash: receipt.blockHash }
    for (const url of [fullPorts.jsonRpcUrl, validatorPorts.jsonRpcUrl]) {
      await expect
        .poll(() => askJsonRpc(url, 'eth_getBalance', [receiver.address, block]), SLOW)
        .toBe(`0x${parseEther('1').toString(16)}`)
    }
  })
})

describe.skipIf(cometbft === undefined)('an answered transaction', () => {
  it('is included although the node was killed right after the answer', async () => {
    const home = join(folder, 'killed')
    const ports = await choosePorts()
    await makeValidator(home)
    const { wallet, client } = clientsOf(ports.jsonRpcUrl)
    for (let nonce = 0; nonce < 2; nonce++) {
      const node = start(home, ports)
      await expect.poll(() => blockNumber(ports.jsonRpcUrl), SLOW).toBeGreaterThanOrEqual(1)
      const hash = await wallet.sendTransaction({ to: receiver.address, value: 1n, nonce })
      node.process.kill('SIGKILL')
      await node.exited
      const next = start(home, ports)
      await expect.poll(() => blockNumber(ports.jsonRpcUrl), SLOW).toBeGreaterThanOrEqual(1)
      expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success')
      next.process.kill('SIGTERM')
      expect(await next.exited).toBe(0)
    }
  })
})
