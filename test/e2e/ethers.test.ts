import {
  Contract,
  ContractFactory,
  type ContractTransactionResponse,
  type EventLog,
  isError,
  JsonRpcProvider,
  type Log,
  NonceManager,
  parseEther,
  parseUnits,
  type TransactionReceipt,
  type TransactionResponse,
  Wallet,
  WebSocketProvider,
  ZeroAddress,
} from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { devnetAccounts } from '../../bin/cli/keys/devnet-accounts.ts'
import { invariant } from '../../core/errors.ts'
import { tokenBytecode } from './contracts/token.ts'
import { EVM_CHAIN_ID, until, useNode } from './harness.ts'

const ABI = [
  'constructor(uint256 supply)',
  'function name() view returns (string)',
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function divide(uint256 dividend, uint256 divisor) pure returns (uint256)',
  'function self() view returns (address)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'error InsufficientAllowance(address spender, uint256 allowed, uint256 needed)',
] as const
const SUPPLY = parseEther('1000')
const POLLING_INTERVAL_MS = 50

const node = useNode()
const keys = devnetAccounts()
const keyAt = (index: number): string => keys[index]?.privateKey ?? ''
const addressAt = (index: number): string => keys[index]?.address ?? ''
const other = addressAt(1)

let provider: JsonRpcProvider
let socket: WebSocketProvider
let owner: Wallet
let token: Contract

const included = async (sent: Promise<TransactionResponse>): Promise<TransactionReceipt> => {
  const receipt = await (await sent).wait()
  invariant(receipt !== null, 'a transaction that was waited for has a receipt')
  expect(receipt.status).toBe(1)
  return receipt
}

const transfer = (value: bigint, contract = token): Promise<ContractTransactionResponse> =>
  contract.getFunction('transfer').send(other, value)

const rejection = (action: Promise<unknown>): Promise<unknown> =>
  action.then(
    () => undefined,
    (reason: unknown) => reason,
  )

const valueOf = (log: EventLog | Log): unknown => ('args' in log ? log.args[2] : undefined)

beforeAll(() => {
  // The provider has no cache of 250 ms, which would show a transaction as pending after its receipt.
  const options = { pollingInterval: POLLING_INTERVAL_MS, cacheTimeout: -1 }
  provider = new JsonRpcProvider(node().urls.http, undefined, options)
  socket = new WebSocketProvider(node().urls.ws)
  owner = new Wallet(keyAt(0), provider)
})
afterAll(async () => {
  provider?.destroy()
  await socket?.destroy()
})

describe('a wallet of ethers on an idle chain', () => {
  it('sends NAT with default fees', async () => {
    const to = Wallet.createRandom().address
    const receipt = await included(owner.sendTransaction({ to, value: parseEther('1') }))
    expect(receipt.gasUsed).toBe(21_000n)
    expect(receipt.gasPrice).toBeGreaterThanOrEqual(parseUnits('2', 'gwei'))
    expect(await provider.getBalance(to)).toBe(parseEther('1'))
    expect((await provider.getNetwork()).chainId).toBe(BigInt(EVM_CHAIN_ID))
  })

  it('deploys a contract, calls it and writes to it', async () => {
    const deployed = await new ContractFactory(ABI, tokenBytecode, owner).deploy(SUPPLY)
    await deployed.waitForDeployment()
    token = new Contract(await deployed.getAddress(), ABI, owner)
    expect(await token.getFunction('name')()).toBe('Test Token')
    const receipt = await included(transfer(5n))
    expect(receipt.logs.map(valueOf)).toEqual([5n])
    const balanceOf = token.getFunction('balanceOf')
    expect(await balanceOf(other)).toBe(5n)
    expect(await balanceOf(other, { blockTag: receipt.blockNumber - 1 })).toBe(0n)
    expect((await provider.getCode(token)).length).toBeGreaterThan(1_000)
  })

  it('counts nonces with a NonceManager over several transactions in flight', async () => {
    const manager = new NonceManager(new Wallet(keyAt(2), provider))
    const sent = await Promise.all([1n, 2n, 3n].map((value) => manager.sendTransaction({ to: other, value })))
    const receipts = await Promise.all(sent.map((response) => included(Promise.resolve(response))))
    expect(receipts).toHaveLength(3)
    expect(await provider.getTransactionCount(addressAt(2), 'pending')).toBe(3)
  })

  it.each([0, 1, 2])('sends a transaction of type %d and reads it back', async (type) => {
    const receipt = await included(owner.sendTransaction({ to: other, value: 1n, type }))
    const transaction = await provider.getTransaction(receipt.hash)
    expect(transaction).toMatchObject({ type, from: owner.address, to: other, chainId: BigInt(EVM_CHAIN_ID) })
    expect(transaction?.blockHash).toBe(receipt.blockHash)
  })

  it('delegates an account with a transaction of type 4', async () => {
    const account = new Wallet(keyAt(3), provider)
    const address = await token.getAddress()
    const nonce = await provider.getTransactionCount(account)
    // The authorization has the nonce after that of the transaction itself.
    const authorization = await account.authorize({ address, nonce: nonce + 1 })
    const data = token.interface.encodeFunctionData('self')
    const receipt = await included(
      account.sendTransaction({ type: 4, to: account, data, authorizationList: [authorization] }),
    )
    expect(receipt.type).toBe(4)
    expect(await provider.getCode(account)).toBe(`0xef0100${address.slice(2).toLowerCase()}`)
  })
})

describe('blocks and logs through ethers', () => {
  it('shows a block with its transactions', async () => {
    const receipt = await included(owner.sendTransaction({ to: other, value: 9n }))
    const block = await provider.getBlock(receipt.blockNumber, true)
    expect(block?.hash).toBe(receipt.blockHash)
    expect(block?.prefetchedTransactions.map(({ hash }) => hash)).toContain(receipt.hash)
    const fees = await provider.getFeeData()
    expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(parseUnits('2', 'gwei'))
  })

  it('finds logs by a filter on the contract', async () => {
    const minted = await token.queryFilter(token.getEvent('Transfer')(ZeroAddress), 0)
    expect(minted.map(valueOf)).toEqual([SUPPLY])
    const received = await token.queryFilter(token.getEvent('Transfer')(null, other), 0)
    expect(received.map(valueOf)).toEqual([5n])
  })

  it('polls events of a contract over HTTP', async () => {
    const seen: unknown[] = []
    await token.on('Transfer', (_from, _to, value: bigint) => void seen.push(value))
    await included(transfer(21n))
    await until('the event', () => (seen.length > 0 ? true : undefined))
    await token.removeAllListeners()
    expect(seen).toEqual([21n])
  })

  it('is told of heads, logs and pending transactions over a WebSocket', async () => {
    const overSocket = new Contract(await token.getAddress(), ABI, new Wallet(keyAt(4), socket))
    const [heads, values, pending]: [number[], unknown[], string[]] = [[], [], []]
    await socket.on('block', (height: number) => void heads.push(height))
    await socket.on('pending', (hash: string) => void pending.push(hash))
    await overSocket.on('Transfer', (_from, _to, value: bigint) => void values.push(value))
    await until('a first head', () => (heads.length > 0 ? true : undefined))
    const receipt = await included(transfer(23n))
    await until('the log', () => (values.length > 0 ? true : undefined))
    await until('the head', () => (heads.includes(receipt.blockNumber) ? true : undefined))
    expect(values).toEqual([23n])
    expect(pending).toContain(receipt.hash)
    await overSocket.removeAllListeners()
    await socket.removeAllListeners()
  })
})

describe("ethers' errors", () => {
  it('carry the reason, the error and the panic of a contract', async () => {
    const overdrawn = await rejection(token.getFunction('transfer').staticCall(other, SUPPLY * 2n))
    expect(isError(overdrawn, 'CALL_EXCEPTION')).toBe(true)
    expect(overdrawn).toMatchObject({ reason: 'balance is too low', revert: { name: 'Error' } })
    const custom = await rejection(token.getFunction('transferFrom').staticCall(other, other, SUPPLY))
    expect(custom).toMatchObject({ code: 'CALL_EXCEPTION', revert: { name: 'InsufficientAllowance' } })
    const panic = await rejection(token.getFunction('divide').staticCall(1n, 0n))
    expect(panic).toMatchObject({ code: 'CALL_EXCEPTION', revert: { name: 'Panic' } })
    // Refused by the estimate, before anything is sent.
    const unsent = await rejection(transfer(SUPPLY * 2n))
    expect(unsent).toMatchObject({ code: 'CALL_EXCEPTION', action: 'estimateGas', reason: 'balance is too low' })
  })

  it('name missing funds, a used nonce and an underpriced replacement', async () => {
    const poor = Wallet.createRandom(provider)
    const unfunded = await rejection(poor.sendTransaction({ to: other, value: 1n }))
    expect(isError(unfunded, 'INSUFFICIENT_FUNDS')).toBe(true)
    const used = await rejection(owner.sendTransaction({ to: other, value: 1n, nonce: 0 }))
    expect(isError(used, 'NONCE_EXPIRED')).toBe(true)
    const sender = new Wallet(keyAt(5), provider)
    // Its nonce leaves a gap, so that it stays in the pool.
    const waiting = { to: other, value: 1n, nonce: 5, gasLimit: 21_000n, maxPriorityFeePerGas: parseUnits('1', 'gwei') }
    await sender.sendTransaction({ ...waiting, maxFeePerGas: parseUnits('4', 'gwei') })
    const cheap = await rejection(
      sender.sendTransaction({ ...waiting, value: 2n, maxFeePerGas: parseUnits('4', 'gwei') }),
    )
    expect(isError(cheap, 'REPLACEMENT_UNDERPRICED')).toBe(true)
  })

  it('tell of a transaction that failed in its block', async () => {
    const sent = await token.getFunction('transfer').send(other, SUPPLY * 2n, { gasLimit: 100_000n })
    const failed = await rejection(sent.wait())
    expect(failed).toMatchObject({ code: 'CALL_EXCEPTION', receipt: { status: 0, hash: sent.hash } })
  })
})
