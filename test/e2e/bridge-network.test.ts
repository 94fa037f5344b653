/**
 * The bridge of four validators on real CometBFT, with anvil as the external chain: ether is deposited and credited, withdrawn and released, while one
 * validator is away, and again once another set of signers is in force. The demo does the same with the commands that people type.
 */
import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Abi, type Hex, parseEther, toHex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { keyDevnet } from '../../bin/cli/keys/devnet-keyring.ts'
import { openHome } from '../../bin/node/config/home.ts'
import { readBridgeKeys } from '../../bin/node/bridge/bridge-keys.ts'
import { parseAddress } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { formatConsensusAddress } from '../../modules/validator-addresses.ts'
import { createRelayer, fetchSet, setArgument } from '../../examples/bridge-release.ts'
import { bridgeAbi, PRECOMPILE_ADDRESSES } from '../../packages/precompiles/index.ts'
import { COMPILED_PATH } from '../../scripts/bridge-contract.ts'
import { accountAt, createClient, createWallet } from './clients.ts'
import { type Anvil, anvilAccount, hasAnvil, startAnvil } from './contracts/anvil.ts'
import { CHAIN_ID, PATIENCE_MS, repository, runChain, type TestNode, until } from './harness.ts'
import { createNetwork, type Network } from './network.ts'

const { abi, bytecode } = JSON.parse(readFileSync(COMPILED_PATH, 'utf8')) as { abi: Abi; bytecode: Hex }
const DENOM = 'bridge/ether'
const LIMIT = parseEther('10')
const RECIPIENT = `0x${'be'.repeat(20)}` as const
const RELAYER_KEY = toHex(anvilAccount(4).getHdKey().privateKey ?? new Uint8Array(0))

/** The key that `chain init` made, as an operator may have it in the genesis. */
const keyOf = (root: string) => {
  const home = openHome(root)
  const { address } = JSON.parse(readFileSync(home.validatorKey, 'utf8')) as { readonly address: string }
  const [key] = readBridgeKeys(home)
  const validator = formatConsensusAddress(hexToBytes(`0x${address.toLowerCase()}`))
  return { validator, address: bytesToHex(key?.address ?? new Uint8Array(0)) }
}

if (!hasAnvil) console.log('skipped: anvil of npm is not installed, which runs on x86-64 Linux alone')

describe.runIf(hasAnvil)('the bridge of four validators', () => {
  let anvil: Anvil
  let network: Network
  let contract: Hex
  let relayer: Awaited<ReturnType<typeof createRelayer>>
  const at = (index: number): TestNode => network.at(index)
  const account = accountAt(5)

  const rest = async <Answer>(path: string): Promise<Answer> =>
    (await (await fetch(`${at(0).urls.rest}${path}`)).json()) as Answer
  const balance = async (): Promise<bigint> => {
    const address = encodeBech32(parseAddress(account.address))
    const path = `/cosmos/bank/v1beta1/balances/${address}/by_denom?denom=${encodeURIComponent(DENOM)}`
    return BigInt((await rest<{ balance: { amount: string } }>(path)).balance.amount)
  }
  const released = (): Promise<bigint> => anvil.client.getBalance({ address: RECIPIENT })
  const callContract = async (functionName: string, args: readonly unknown[], options: object) => {
    const { request } = await anvil.client.simulateContract({ address: contract, abi, functionName, args, ...options })
    await anvil.client.waitForTransactionReceipt({ hash: await anvil.client.writeContract(request) })
  }
  const setKey = async (index: number): Promise<void> => {
    const key = ['--home', at(index).home, '--keyring-backend', 'test', '--from', `dev${index}`]
    const said = await runChain(['tx', 'bridge', 'set-key', ...key, '--node', at(0).urls.comet, '--yes', '--wait'])
    expect(said).toMatchObject({ status: 0, stderr: expect.not.stringContaining('Error') as string })
  }
  /** Returns the id. */
  const withdraw = async (amount: bigint): Promise<number> => {
    const { withdrawals } = await rest<{ withdrawals: number }>('/nat/bridge/v1/way_back')
    const hash = await createWallet(at(0), account).writeContract({
      address: PRECOMPILE_ADDRESSES.bridge,
      abi: bridgeAbi,
      functionName: 'withdraw',
      args: [RECIPIENT, amount],
    })
    expect(await createClient(at(0)).waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    return withdrawals
  }
  const release = (id: number): Promise<Hex> => until('the release', () => relayer.release(id))

  beforeAll(async () => {
    anvil = await startAnvil()
    const args = [CHAIN_ID, anvilAccount(1).address, LIMIT]
    const hash = await anvil.client.deployContract({ abi, bytecode, args })
    contract = (await anvil.client.waitForTransactionReceipt({ hash })).contractAddress ?? '0x'
    const settings = { 'bridge-daemon-eth-rpc-endpoint': anvil.url, 'max-daemon-unhealthy-seconds': '4294967295' }
    const params = {
      ...{ chain_id: '31337', contract, denom: DENOM, delay_blocks: 2, delay_seconds: 1 },
      ...{ withdraw_limit: LIMIT.toString(), set_interval_blocks: 5 },
    }
    const created = await createNetwork({
      members: [0, 1, 2, 3].map(() => ({ settings, timeoutCommitMs: 200 })),
      editGenesis: (genesis, homes) => ({
        ...genesis,
        app_state: { ...genesis.app_state, bridge: { params, keys: homes.map(keyOf) } },
      }),
    })
    network = created
    keyDevnet(openHome(at(2).home))
    await created.start()
  })
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') network?.print()
  })
  afterAll(async () => {
    await network?.remove()
    await anvil?.close()
  })

  it('credits what was deposited, once it is final', async () => {
    expect(statSync(openHome(at(0).home).bridgeKey).mode & 0o777).toBe(0o600)
    await callContract('deposit', [account.address, '0x'], { value: parseEther('5') })
    expect(await balance()).toBe(0n)
    // anvil finalizes what is two epochs old.
    await anvil.client.mine({ blocks: 100 })
    await until('the credit', async () => ((await balance()) === parseEther('5') ? true : undefined))
  })

  it('releases what was withdrawn, while one of the four is away', async () => {
    const first = await until('a set of four', () => fetchSet(at(0).urls.rest, 0))
    expect(first.set.threshold).toBe('26')
    await callContract('initializeSet', [setArgument(first.set)], { account: anvilAccount(1) })
    relayer = await createRelayer({ restUrl: at(0).urls.rest, ethRpcUrl: anvil.url, privateKey: RELAYER_KEY })
    await at(2).stop()
    const id = await withdraw(parseEther('1'))
    expect(await balance()).toBe(parseEther('4'))
    const { gasUsed } = await anvil.client.waitForTransactionReceipt({ hash: await release(id) })
    expect(await released()).toBe(parseEther('1'))
    console.log(`released with ${gasUsed} gas`)
    await expect(relayer.release(id)).rejects.toThrow(/AlreadyReleased/)
  })

  it('releases again under another set, which the one before has signed', async () => {
    // The validator that was away comes back with another key behind its first one.
    const { status, stdout } = await runChain(['bridge', 'key', '--new', '--home', at(2).home])
    expect(status).toBe(0)
    await at(2).start()
    await setKey(2)
    const key = stdout.trim().toLowerCase()
    await until('a set with the other key', async () => {
      const { set } = (await fetchSet(at(0).urls.rest, 0)) ?? {}
      return set?.members.some(({ address }) => address === key) ? true : undefined
    })
    const id = await withdraw(parseEther('0.25'))
    await release(id)
    expect(await released()).toBe(parseEther('1.25'))
    expect(await relayer.read('setNonce')).toBeGreaterThan(1n)
    expect(await anvil.client.getBalance({ address: contract })).toBe(parseEther('3.75'))
    await network.expectSameBlocks(await at(0).height())
  })
})

it.runIf(hasAnvil)('the demo goes both ways', async () => {
  const demo = join(repository, 'examples', 'bridge-demo.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [demo], { timeout: PATIENCE_MS })
  expect(stdout).toContain('credited: 3 bridge/ether\n')
  expect(stdout).toMatch(/^released to 0x(be){20} in 0x[0-9a-f]{64}: it has 1.25 ether$/m)
})
