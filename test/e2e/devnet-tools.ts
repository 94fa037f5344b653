/** What a developer's tools do on a devnet: viem with Multicall3, a deployment that is signed for all chains, and `chain` without flags. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  http,
  keccak256,
  parseAbi,
  parseEther,
  recoverTransactionAddress,
  serializeTransaction,
  toHex,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { chainCommand, until } from './harness.ts'

/** The hashes that explorers of Ethereum show. */
const CODE_HASHES: Readonly<Record<string, Hex>> = {
  '0x4e59b44847b379578588920cA78FbF26c0B4956C': '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989',
  '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7': '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989',
  '0xcA11bde05977b3631167028862bE2a173976CA11': '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891',
  '0x000000000022D473030F116dDEE9F6B43aC78BA3': '0xc67d1657868aa5146eaf24fb879fb1fdec3d2d493b3683a61c9c2f4fb2851131',
  '0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed': '0xbd8a7ea8cfca7b4e5f5041d7d4b17bc317c5ce42cfbc42066a00cf26b43eb53f',
  '0x0000000071727De22E5E9d8BAf0edAc6f37da032': '0x8db5ff695839d655407cc8490bb7a5d82337a86a6b39c3f0258aa6c3b582fc58',
  '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108': '0x44e632a24c6f2600cbd5b5b8b4c2d372359112c8b5774297f5fd0a9e64f11f86',
}
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'
const FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const MULTICALL_ABI = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool, bytes)[])',
  'function getBlockNumber() view returns (uint256)',
])
const ENTRY_POINT_ABI = parseAbi([
  'function getNonce(address sender, uint192 key) view returns (uint256)',
  'function depositTo(address account) payable',
  'function balanceOf(address account) view returns (uint256)',
])
/** Returns ten bytes of code: 0x2a as a word. */
const CREATION: Hex = '0x600a600c600039600a6000f3602a60005260206000f3'

const clientsOf = (url: string) => {
  const chain = defineChain({
    id: 2517,
    name: 'devnet',
    nativeCurrency: { name: 'NAT', symbol: 'NAT', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
    contracts: { multicall3: { address: MULTICALL } },
  })
  const transport = http(url)
  const account = mnemonicToAccount('test test test test test test test test test test test junk')
  return {
    wallet: createWalletClient({ account, chain, transport }),
    client: createPublicClient({ chain, transport, pollingInterval: 100 }),
  }
}

export const useContracts = async (url: string, shown: () => string): Promise<void> => {
  const { wallet, client } = clientsOf(url)
  const own = wallet.account.address
  for (const [address, hash] of Object.entries(CODE_HASHES)) {
    const code = await client.getCode({ address: address as Hex })
    expect(keccak256(code ?? '0x'), address).toBe(hash)
  }
  const line = async (hash: Hex): Promise<string> =>
    await until('the line of the transaction', () =>
      shown()
        .split('\n')
        .find((each) => each.includes(hash)),
    )
  const contract = { address: MULTICALL, abi: MULTICALL_ABI } as const
  const [number] = await client.multicall({ contracts: [{ ...contract, functionName: 'getBlockNumber' }] })
  expect(number.status).toBe('success')

  const failing = await wallet.sendTransaction({
    to: MULTICALL,
    gas: 200_000n,
    data: encodeFunctionData({
      abi: MULTICALL_ABI,
      functionName: 'aggregate3',
      args: [[{ target: MULTICALL, allowFailure: false, callData: '0xdeadbeef' }]],
    }),
  })
  expect((await client.waitForTransactionReceipt({ hash: failing })).status).toBe('reverted')
  expect(await line(failing)).toMatch(
    new RegExp(
      `^\\d+  ${failing}  from ${own} to ${MULTICALL} aggregate3\\(\\(address,bool,bytes\\)\\[\\]\\)  gas [\\d,]+  execution reverted: Multicall3: call failed$`,
    ),
  )

  const salt = toHex(7n, { size: 32 })
  const hash = await wallet.sendTransaction({ to: FACTORY, data: `${salt}${CREATION.slice(2)}` })
  expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success')
  const made = getContractAddress({ opcode: 'CREATE2', from: FACTORY, salt, bytecode: CREATION })
  expect(await client.getCode({ address: made })).toBe('0x602a60005260206000f3')

  for (const address of [
    '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
    '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
  ] as const) {
    const entryPoint = { address, abi: ENTRY_POINT_ABI } as const
    const deposit = await wallet.writeContract({ ...entryPoint, functionName: 'depositTo', args: [own], value: 5n })
    expect((await client.waitForTransactionReceipt({ hash: deposit })).status).toBe('success')
    expect(await line(deposit)).toContain(` to ${address} depositTo(address)  gas `)
    expect(await client.readContract({ ...entryPoint, functionName: 'balanceOf', args: [own] })).toBe(5n)
    expect(await client.readContract({ ...entryPoint, functionName: 'getNonce', args: [own, 0n] })).toBe(0n)
  }
}

/** Nick's method: a signature that nobody made, without a chain id, is that of some account. */
export const deployForAllChains = async (url: string, shown: () => string): Promise<void> => {
  const { wallet, client } = clientsOf(url)
  const word = `0x${'18'.repeat(32)}` as const
  const gas = { gasPrice: 100n * 10n ** 9n, gas: 200_000n }
  const raw = serializeTransaction({ type: 'legacy', nonce: 0, data: CREATION, ...gas }, { v: 27n, r: word, s: word })
  const signer = await recoverTransactionAddress({ serializedTransaction: raw })
  const funding = await wallet.sendTransaction({ to: signer, value: parseEther('1') })
  await client.waitForTransactionReceipt({ hash: funding })
  const hash = await client.sendRawTransaction({ serializedTransaction: raw })
  const { status, contractAddress } = await client.waitForTransactionReceipt({ hash })
  expect([status, contractAddress?.toLowerCase()]).toEqual([
    'success',
    getContractAddress({ from: signer, nonce: 0n }).toLowerCase(),
  ])
  await until('its line', () => (shown().includes(`${hash}  from ${signer} creates `) ? true : undefined))
}

type Chain = (...args: readonly string[]) => string

/** The tools get no home of their own: `folder` has none. */
const environmentOf = (home: string, folder: string): NodeJS.ProcessEnv => {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CHAIN_'))
  return { ...Object.fromEntries(inherited), DEVNET_HOME: home, HOME: folder }
}

const commandsOf = (home: string, folder: string): Chain => {
  const env = environmentOf(home, folder)
  return (...args) => execFileSync(chainCommand, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

interface OrderOutcome {
  readonly code: number
  readonly actions: readonly { readonly code: number; readonly order_seq: string; readonly filled_lots: string }[]
}

/** `chain tx clob` with prices and sizes as people write them; the order book's own answers are the witness. */
export const tradeByCommands = (home: string, folder: string): void => {
  const chain = commandsOf(home, folder)
  const order = (from: string, ...args: readonly string[]): OrderOutcome =>
    JSON.parse(chain('tx', 'clob', ...args, '--from', from, '--yes', '--wait')) as OrderOutcome
  const history = (...args: readonly string[]) =>
    (JSON.parse(chain('query', 'clob', ...args)) as { order: Readonly<Record<string, unknown>> }).order

  const sell = order('dev0', 'place', '1', 'sell', '5', '1.25', '--client-id', '0x0a')
  expect(sell.actions).toMatchObject([{ code: 0, filled_lots: '0' }])
  const buy = order('dev1', 'place', '1', 'buy', '2.5', '1.251', '--tif', 'ioc')
  expect(buy.actions).toMatchObject([{ code: 0, filled_lots: '2500' }])
  expect(history('order-by-client-id', 'dev0', '0a')).toMatchObject({
    order_seq: sell.actions[0]?.order_seq,
    state: 'ORDER_STATE_OPEN',
    ...{ price_ticks: 1_250, lots: '5000', filled_lots: '2500' },
  })
  const replaced = order('dev0', 'replace', '1', '0x0a', 'sell', '4', '1.3', '--client-id', '0x0b')
  expect(replaced.actions).toMatchObject([{ code: 0 }])
  expect(order('dev0', 'cancel', '1', String(replaced.actions[0]?.order_seq)).actions).toMatchObject([{ code: 0 }])

  // Where no --stp is given, an order that would meet one of its own owner ends that one, and stays.
  const [maker] = order('dev0', 'place', '1', 'sell', '1', '1.5').actions
  const [taker] = order('dev0', 'place', '1', 'buy', '1', '1.5').actions
  const stateOf = (placed: typeof maker): unknown => history('order-status', '1', String(placed?.order_seq))['state']
  expect([stateOf(maker), stateOf(taker)]).toEqual(['ORDER_STATE_CANCELLED', 'ORDER_STATE_OPEN'])

  // Dev 2 trades for dev 0, until it may not any more.
  const agent = (...args: readonly string[]) =>
    JSON.parse(chain('tx', 'clob', ...args, '--from', 'dev0', '--yes', '--wait')) as { code: number }
  expect(agent('set-agent', 'dev2', 'bot', '--markets', '1').code).toBe(0)
  const byAgent = order('dev2', 'place', '1', 'sell', '1', '1.4', '--owner', 'dev0')
  expect(byAgent.actions).toMatchObject([{ code: 0 }])
  const [owner] = [String(history('order-status', '1', String(byAgent.actions[0]?.order_seq))['owner'])]
  expect(owner).toBe(chain('keys', 'show', 'dev0', '-a').trim())
  expect(order('dev0', 'schedule-cancel', '3600').actions).toMatchObject([{ code: 0 }])
  expect(order('dev0', 'schedule-cancel', '0').actions).toMatchObject([{ code: 0 }])
  expect(order('dev0', 'cancel-all', '--market', '1').actions).toMatchObject([{ code: 0 }])
  expect(agent('revoke-agent', 'dev2').code).toBe(0)
  expect(() => order('dev2', 'place', '1', 'sell', '1', '1.4', '--owner', 'dev0')).toThrow('Command failed')

  for (const [args, text] of [
    [['place', '1', 'sell', '0.0005', '1'], 'a size is a multiple of 0.001 NAT, and "0.0005" is not'],
    [['place', '1', 'sell', '1', '1.0001'], 'a price is a multiple of 0.001 TUSD for one NAT, and "1.0001" is not'],
    [['place', '1', 'hold', '1', '1'], '"hold" is no side: write buy or sell'],
    [['place', '77', 'sell', '1', '1'], 'there is no market 77'],
    [['cancel', '1', 'x'], '"x" is no order: write its number, or 0x and its client id'],
  ] as const) {
    expect(() => order('dev0', ...args), args.join(' ')).toThrow(text)
  }
  const { bids, asks } = JSON.parse(chain('query', 'clob', 'depth', '1')) as { bids?: unknown[]; asks?: unknown[] }
  expect([bids ?? [], asks ?? []]).toEqual([[], []])
}

/** Commands without flags find the devnet, wherever its ports are. */
export const useCommands = async (home: string, folder: string, shown: () => string): Promise<void> => {
  const chain = commandsOf(home, folder)
  expect(JSON.parse(chain('status'))).toMatchObject({ healthy: true, chainId: 'localnat-1' })
  expect(chain('keys', 'list', '--list-names').trim().split('\n')).toEqual(
    Array.from({ length: 10 }, (_, index) => `dev${index}`),
  )
  const sent = JSON.parse(chain('tx', 'bank', 'send', 'dev1', '1nat', '--from', 'dev0', '--yes', '--wait')) as {
    code: number
    txhash: string
  }
  expect(sent.code).toBe(0)
  await until('its line', () => (shown().includes(`${sent.txhash}  MsgSend  gas `) ? true : undefined))
  const env = environmentOf(home, folder)
  const added = spawnSync(chainCommand, ['keys', 'add', 'mine', '--light'], { env, encoding: 'utf8' })
  expect(added.stderr).toContain(
    `The key lies in ${home}, the home of the devnet that runs: "make devnet-reset" deletes it.`,
  )
  const { balances } = JSON.parse(chain('query', 'bank', 'balances', 'dev1')) as { balances: readonly unknown[] }
  expect(balances.length).toBe(3)
}
