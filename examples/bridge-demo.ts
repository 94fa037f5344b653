/**
 * The bridge in both directions on this machine: anvil is the external chain, a chain of one validator is made in a temporary folder.
 * Ether is deposited and credited, and withdrawn and released again.
 *
 *   scripts/run.sh node examples/bridge-demo.ts
 *
 * It needs anvil of npm (x86-64 Linux), and ends all that it has started.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  formatEther,
  type Hex,
  http,
  parseEther,
  type PrivateKeyAccount,
} from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { createRelayer, fetchSet, setArgument } from './bridge-release.ts'

const root = join(import.meta.dirname, '..')
const chain = join(root, 'chain')
const ANVIL = join(root, 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil')
const { abi, bytecode } = JSON.parse(readFileSync(join(root, 'packages/bridge/nat-bridge.json'), 'utf8')) as {
  readonly abi: Abi
  readonly bytecode: Hex
}

const MNEMONIC = 'test test test test test test test test test test test junk'
const anvilKey = (addressIndex: number): Hex => {
  const { privateKey } = mnemonicToAccount(MNEMONIC, { addressIndex }).getHdKey()
  if (privateKey === null) throw new Error('a derived key holds its private part')
  return `0x${Buffer.from(privateKey).toString('hex')}`
}
/** The first account of a devnet operates the validator, and is bridged to. */
const OPERATOR_KEY = anvilKey(0)
const CHAIN_ID = 'localnat-1'
const DENOM = 'bridge/ether'
const LIMIT = parseEther('100')
const RECIPIENT = `0x${'be'.repeat(20)}` as const
const WAIT_MS = 90_000

const until = async <Value>(what: string, look: () => Promise<Value | undefined>): Promise<Value> => {
  const end = Date.now() + WAIT_MS
  while (Date.now() < end) {
    const value = await look().catch(() => undefined)
    if (value !== undefined) return value
    await sleep(200)
  }
  throw new Error(`not within ${WAIT_MS / 1000} s: ${what}`)
}

/** Finds ports that are free now, on loopback. */
const freePorts = async (count: number): Promise<readonly number[]> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.once('listening', () => resolve((server.address() as AddressInfo).port))
        }),
    ),
  )
  for (const server of servers) server.close()
  return ports
}

const run = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(chain, [...args], { timeout: WAIT_MS })).stdout.trim()

const started: ChildProcess[] = []
const start = (command: string, args: readonly string[]): ChildProcess => {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  started.push(child)
  return child
}

interface External {
  readonly url: string
  readonly account: PrivateKeyAccount
  readonly client: ReturnType<typeof createPublicClient>
  readonly contract: Hex
  /** Calls the contract, and waits until the call is mined. */
  send(by: PrivateKeyAccount, functionName: string, args: readonly unknown[], value?: bigint): Promise<void>
}

/** Starts anvil with a block a second, each of which is final after two more, and deploys the contract. */
const startExternal = async (port: number): Promise<External> => {
  start(ANVIL, ['--port', String(port), '--silent', '--block-time', '1', '--slots-in-an-epoch', '1'])
  const url = `http://127.0.0.1:${port}`
  const transport = http(url)
  const client = createPublicClient({ chain: foundry, transport, pollingInterval: 200 })
  await until('anvil', () => client.getChainId())
  const account = privateKeyToAccount(anvilKey(1))
  const governor = privateKeyToAccount(anvilKey(2))
  const wallet = (by: PrivateKeyAccount) => createWalletClient({ account: by, chain: foundry, transport })
  const hash = await wallet(account).deployContract({ abi, bytecode, args: [CHAIN_ID, governor.address, LIMIT] })
  const { contractAddress: contract } = await client.waitForTransactionReceipt({ hash })
  if (contract === null || contract === undefined) throw new Error('the contract was not deployed')
  const send: External['send'] = async (by, functionName, args, value = 0n) => {
    const { request } = await client.simulateContract({
      account: by,
      address: contract,
      abi,
      functionName,
      args,
      value,
    })
    await client.waitForTransactionReceipt({ hash: await wallet(by).writeContract(request) })
  }
  console.log(`deployed the contract at ${contract} on anvil`)
  return { url, account, client, contract, send }
}

interface Chain {
  readonly home: string
  readonly rest: string
  readonly comet: string
}

/** Makes a home whose genesis bridges the contract, and starts its node. */
const startChain = async (home: string, external: External, ports: readonly number[]): Promise<Chain> => {
  const [rpc = 0, p2p = 0, rest = 0, grpc = 0, web = 0, socket = 0] = ports
  const at = (port: number): string => `127.0.0.1:${port}`
  await run('init', 'demo', '--chain-id', CHAIN_ID, '--home', home)
  const operator = privateKeyToAccount(OPERATOR_KEY).address
  await run('genesis', 'add-account', operator, '1000000nat', '--home', home)
  await run('genesis', 'add-validator', '--operator', operator, '--power', '1000', '--home', home)
  const file = join(home, 'config/genesis.json')
  const genesis = JSON.parse(readFileSync(file, 'utf8')) as { readonly app_state: object }
  const params = {
    chain_id: String(foundry.id),
    contract: external.contract.toLowerCase(),
    denom: DENOM,
    delay_blocks: 2,
    delay_seconds: 1,
    withdraw_limit: LIMIT.toString(),
    set_interval_blocks: 10,
  }
  writeFileSync(file, JSON.stringify({ ...genesis, app_state: { ...genesis.app_state, bridge: { params } } }, null, 2))
  const flags = {
    home,
    'bridge-daemon-eth-rpc-endpoint': external.url,
    'rpc.laddr': `tcp://${at(rpc)}`,
    'p2p.laddr': `tcp://${at(p2p)}`,
    'api.address': at(rest),
    'grpc.address': at(grpc),
    'json-rpc.address': at(web),
    'json-rpc.ws-address': at(socket),
  }
  start(chain, ['start', ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])])
  const urls = { home, rest: `http://${at(rest)}`, comet: `tcp://${at(rpc)}` }
  await until('the chain', async () => {
    const { block } = (await (await fetch(`${urls.rest}/cosmos/base/tendermint/v1beta1/blocks/latest`)).json()) as {
      readonly block: { readonly header: { readonly height: string } }
    }
    return Number(block.header.height) > 1 ? true : undefined
  })
  console.log(`${CHAIN_ID} makes blocks`)
  return urls
}

const balanceOf = async ({ rest }: Chain, account: Hex): Promise<bigint> => {
  const address = await run('debug', 'addr', account).catch(() => '')
  const bech = /nat1[a-z0-9]+/.exec(address)?.[0] ?? ''
  const path = `/cosmos/bank/v1beta1/balances/${bech}/by_denom?denom=${encodeURIComponent(DENOM)}`
  const { balance } = (await (await fetch(`${rest}${path}`)).json()) as {
    readonly balance: { readonly amount: string }
  }
  return BigInt(balance.amount)
}

const demonstrate = async (folder: string): Promise<void> => {
  const [port = 0, ...ports] = await freePorts(7)
  const external = await startExternal(port)
  const local = await startChain(join(folder, 'home'), external, ports)
  const operator = privateKeyToAccount(OPERATOR_KEY)
  const signer = ['--home', local.home, '--keyring-backend', 'test', '--node', local.comet]
  writeFileSync(join(folder, 'key'), OPERATOR_KEY, { mode: 0o600 })
  await run('keys', 'import', 'operator', join(folder, 'key'), ...signer.slice(0, 4))
  const send = (...words: readonly string[]): Promise<string> =>
    run('tx', ...words, '--from', 'operator', '--yes', '--wait', ...signer)

  await external.send(external.account, 'deposit', [operator.address, '0x'], parseEther('3'))
  console.log('deposited 3 ether')
  await send('bridge', 'set-key')
  await until('the credit', async () => ((await balanceOf(local, operator.address)) > 0n ? true : undefined))
  console.log(`credited: ${formatEther(await balanceOf(local, operator.address))} ${DENOM}`)

  const first = await until('a set of signers', () => fetchSet(local.rest, 0))
  await external.send(privateKeyToAccount(anvilKey(2)), 'initializeSet', [setArgument(first.set)])
  console.log(`the governor of the contract named set ${first.set.nonce} of signers`)

  await send('bridge', 'withdraw', RECIPIENT, `${parseEther('1.25')}${DENOM}`)
  console.log(`withdrew 1.25 ether: ${formatEther(await balanceOf(local, operator.address))} ${DENOM} are left`)
  const relayer = await createRelayer({
    restUrl: local.rest,
    ethRpcUrl: external.url,
    privateKey: anvilKey(3),
  })
  const hash = await until('the release', () => relayer.release(0))
  const received = await external.client.getBalance({ address: RECIPIENT })
  console.log(`released to ${RECIPIENT} in ${hash}: it has ${formatEther(received)} ether`)
  if (received !== parseEther('1.25')) throw new Error(`the recipient has ${received} wei`)
}

if (!existsSync(ANVIL)) throw new Error(`${ANVIL} is missing: npm installs it on x86-64 Linux`)
const folder = mkdtempSync(join(tmpdir(), 'nat-bridge-demo-'))
try {
  await demonstrate(folder)
} finally {
  for (const child of started.reverse()) {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await Promise.race([ended, sleep(10_000)])
  }
  rmSync(folder, { recursive: true, force: true })
}
