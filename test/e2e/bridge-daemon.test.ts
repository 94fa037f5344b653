/** The daemon of the bridge under `chain start`, with the flags as the interface writes them. */
import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hexToBytes, keccak256, toHex } from 'viem'
import { serveDaemon } from '../../bin/node/bridge/serve-daemon.ts'
import { createLog } from '../../bin/node/runtime/log.ts'
import { openHome } from '../../bin/node/config/home.ts'
import { readGenesisJson, writeGenesis } from '../../bin/node/genesis/document.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { CHAIN_ID, CONTRACT, ExternalChain, ExternalEndpoint } from '../../daemons/testing/external-chain.ts'
import { accountAt, createClient, createWallet } from './clients.ts'
import { BRIDGE_LOG_BYTECODE, bridgeLogCall } from './contracts/bridge-log.ts'
import { createNode, descendants, EVM_CHAIN_ID, repository, runChain, type TestNode, until } from './harness.ts'

const NEVER = '4294967295'

const DENOM = 'bridge/token'
const params = {
  chain_id: CHAIN_ID.toString(),
  contract: toHex(CONTRACT),
  denom: DENOM,
  delay_blocks: 2,
  delay_seconds: 1,
}

/** Settings of the next start. */
const settings: Record<string, string> = {}
let node: TestNode
let endpoint: ExternalEndpoint

beforeAll(async () => {
  endpoint = await new ExternalEndpoint(new ExternalChain()).listen()
  node = await createNode({ timeoutCommitMs: 200, settings })
  const { genesis } = openHome(node.home)
  const document = readGenesisJson(genesis) as { readonly app_state: object }
  writeGenesis(genesis, { ...document, app_state: { ...document.app_state, bridge: { params } } })
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log(`the node wrote last:\n${node.lastWords()}`)
})
afterAll(async () => {
  await node?.remove()
  await endpoint?.close()
})

const deposits = [
  { id: 0, amount: 2n ** 256n - 1n, accAddress: `0x${'aa'.repeat(20)}`, data: '0x' },
  { id: 1, amount: 0n, accAddress: '0x', data: `0x${'01'.repeat(5_000)}` },
  { id: 2, amount: 7n, accAddress: `0x${'bb'.repeat(65)}`, data: '0x01' },
] as const

/** Reads this node as if it were the external chain, with a daemon of its own. */
const readFromChain = async (address: Uint8Array) => {
  const path = join(node.folder, 'reader.sock')
  const contract = { chainId: BigInt(EVM_CHAIN_ID), address }
  const server = await serveDaemon({
    path,
    endpoints: [node.urls.http, `${node.urls.http}/?again`],
    maxUnhealthySeconds: undefined,
    log: createLog({ write: () => undefined }),
    onUnhealthy: () => undefined,
  })
  const main = join(repository, 'daemons', 'bridge', 'main.ts')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, path], { stdio: 'ignore' })
  try {
    server.follow(contract, 0)
    return await until('three events', () => {
      const events = server.events(contract, 0, 10)
      return events.length === deposits.length ? events : undefined
    })
  } finally {
    child.kill('SIGKILL')
    await server.close()
  }
}

const daemonPid = (): number | undefined =>
  [...descendants(node.pid)].find(([, command]) => command.includes('/daemons/bridge/main.ts'))?.[0]

interface Readiness {
  readonly ready: boolean
  readonly daemons?: readonly { name: string; healthy: boolean; error?: string; memoryBytes?: number }[]
}
const readiness = async (): Promise<Readiness> => (await (await fetch(`${node.urls.http}/readyz`)).json()) as Readiness
const untilHealthy = (healthy: boolean): Promise<Readiness> =>
  until(`a daemon whose health is ${healthy}`, async () => {
    const now = await readiness()
    const [daemon] = now.daemons ?? []
    return daemon?.healthy === healthy && (!healthy || daemon.memoryBytes !== undefined) ? now : undefined
  })

describe('a node', () => {
  it('without the flag warns once, runs no daemon, and follows the chain', async () => {
    await node.start()
    await node.untilHeight(3)
    expect(node.output.match(/no bridge daemon runs/g)).toHaveLength(1)
    expect(daemonPid()).toBeUndefined()
    expect(await readiness()).toEqual({ ready: true })
    expect(await node.stop()).toBe(0)
  })

  it('with both flags runs a daemon, which is started again when it is killed', async () => {
    settings['bridge-daemon-eth-rpc-endpoint'] = endpoint.url
    settings['max-daemon-unhealthy-seconds'] = NEVER
    settings['pruning'] = 'nothing'
    await node.start()
    expect((await untilHealthy(true)).daemons).toMatchObject([
      { name: 'bridge', healthy: true, warnings: [expect.stringContaining('more than an hour old')] },
    ])
    expect(node.output).not.toMatch(/no bridge daemon runs|has no effect/)
    expect(statSync(join(node.home, 'bridge.sock')).mode & 0o777).toBe(0o600)
    const before = daemonPid()
    process.kill(before ?? 0, 'SIGKILL')
    await until('another daemon', () => {
      const pid = daemonPid()
      return pid === before ? undefined : pid
    })
    const told = (await untilHealthy(true)).daemons?.[0]?.memoryBytes
    // It reads what the one before it has compiled.
    const memory = await until('what another daemon tells', async () => {
      const bytes = (await readiness()).daemons?.[0]?.memoryBytes
      return bytes === told ? undefined : bytes
    })
    console.log(`memory of the daemon: ${Math.round(memory / 1e6)} MB`)
    const { status, stdout } = await runChain(['status', ...node.flags])
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('"name": "bridge"') })
  })

  it('credits what the external chain has finalized, to whom it names, once', async () => {
    const recipient = new Uint8Array(20).fill(0xaa)
    const path = `/cosmos/bank/v1beta1/balances/${encodeBech32(recipient)}/by_denom?denom=${encodeURIComponent(DENOM)}`
    const rest = async (route: string): Promise<unknown> => (await fetch(`${node.urls.rest}${route}`)).json()
    const balance = async (): Promise<string> => ((await rest(path)) as { balance: { amount: string } }).balance.amount
    expect(await balance()).toBe('0')
    endpoint.chain.deposits = [
      { block: 20, id: 0, amount: 1_000n, recipient },
      { block: 21, id: 1, amount: 0n, recipient },
      { block: 21, id: 2, amount: 2n ** 128n + 1n, recipient },
      { block: 50, id: 3, amount: 7n, recipient: recipient.slice(1) },
      { block: 101, id: 4, amount: 20n, recipient },
      { block: 102, id: 5, amount: 300_000n, recipient },
    ]
    // The last one of these is not finalized. Blocks that were read before are read again by another daemon alone.
    endpoint.chain.finalized = 101
    process.kill(daemonPid() ?? 0, 'SIGKILL')
    await until('the credits', async () => ((await balance()) === '1020' ? true : undefined))
    expect(await rest('/nat/bridge/v1/next_id')).toMatchObject({
      next_id: 5,
      credited: '2',
      refused: '3',
      minted: '1020',
    })
    const { stdout } = await runChain(['query', 'bridge', 'event', '2', '--node', node.urls.comet])
    expect(stdout).toContain('the amount is above')
    endpoint.chain.finalized = 102
    await until('the last credit', async () => ((await balance()) === '301020' ? true : undefined))
    expect(await rest('/nat/bridge/v1/refused_events')).toMatchObject({ events: [{ id: 1 }, { id: 2 }, { id: 3 }] })
  })

  it('is a chain that a daemon reads, whose logs an EVM made', async () => {
    const account = accountAt(0)
    const wallet = createWallet(node, account)
    const client = createClient(node)
    const hash = await wallet.deployContract({ abi: [], bytecode: BRIDGE_LOG_BYTECODE })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash })
    const to = contractAddress ?? '0x'
    const heights: bigint[] = []
    for (const deposit of deposits) {
      const data = bridgeLogCall({ ...deposit, from: account.address })
      const sent = await wallet.sendTransaction({ to, data })
      heights.push((await client.waitForTransactionReceipt({ hash: sent })).blockNumber)
    }
    const events = await readFromChain(hexToBytes(to))
    expect(events).toEqual(
      deposits.map(({ id, amount, accAddress, data }, index) => ({
        id,
        amount,
        from: hexToBytes(account.address),
        recipient: hexToBytes(accAddress).slice(0, 64),
        dataHash: hexToBytes(keccak256(data)),
        externalHeight: heights[index],
      })),
    )
  })

  it('goes on while its daemon hangs, and says so', async () => {
    const pid = daemonPid()
    process.kill(pid ?? 0, 'SIGSTOP')
    const { ready, daemons } = await untilHealthy(false)
    expect(ready).toBe(true)
    expect(daemons).toMatchObject([{ name: 'bridge', error: 'it is silent', since: expect.stringMatching(/^20.*Z$/) }])
    await node.untilHeight((await node.height()) + 2)
    // What hangs is ended, and started again.
    await untilHealthy(true)
    expect(daemonPid()).not.toBe(pid)
    await node.untilHeight((await node.height()) + 1)
    expect(await node.stop()).toBe(0)
  })

  it('halts with name, error and since when, after the seconds of the flag', async () => {
    settings['max-daemon-unhealthy-seconds'] = '2'
    await node.start()
    await untilHealthy(true)
    process.kill(daemonPid() ?? 0, 'SIGSTOP')
    expect(await node.exited).toBe(1)
    expect(node.output).toMatch(/the daemon "bridge" has been unhealthy for more than 2 s, since 20\S+Z: it is silent/)
    await node.stop()
  })

  it.each([
    ['max-daemon-unhealthy-seconds', '4294967296', /must be 1 to 4294967295/],
    ['bridge-daemon-eth-rpc-endpoint', 'localhost', /endpoint 1 is no URL/],
  ])('refuses --%s %s', async (name, value, message) => {
    const { status, stderr } = await runChain(['start', ...node.flags, `--${name}`, value])
    expect(status).not.toBe(0)
    expect(stderr).toMatch(message)
  })
})
