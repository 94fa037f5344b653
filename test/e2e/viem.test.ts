import {
  type Address,
  BaseError,
  type ContractFunctionRevertedError,
  createPublicClient,
  decodeEventLog,
  encodeDeployData,
  encodeFunctionData,
  ExecutionRevertedError,
  type Hash,
  type Hex,
  http,
  InsufficientFundsError,
  NonceTooLowError,
  parseEther,
  parseGwei,
  type TransactionReceipt,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { accountAt, chainOf, createClient, createSocketClient, createWallet } from './clients.ts'
import { tokenAbi, tokenBytecode } from './contracts/token.ts'
import { EVM_CHAIN_ID, until, useNode } from './harness.ts'

const node = useNode()
const [owner, other] = [accountAt(0), accountAt(1)]
const SUPPLY = parseEther('1000')

let client: ReturnType<typeof createClient>
let wallet: ReturnType<typeof createWallet>
let token: Address

const included = async (hash: Hash): Promise<TransactionReceipt> => {
  const receipt = await client.waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  return receipt
}

/** The error of viem of `kind` in the chain of causes of what `action` is rejected with. */
const rejection = async <T extends Error>(
  action: Promise<unknown>,
  kind: new (...parameters: never[]) => T,
): Promise<T> => {
  const error: unknown = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(BaseError)
  const found = (error as BaseError).walk((cause) => cause instanceof kind)
  expect(found, String(error)).toBeInstanceOf(kind)
  return found as T
}

beforeAll(async () => {
  client = createClient(node())
  wallet = createWallet(node(), owner)
})

describe('a wallet with its default settings on an idle chain', () => {
  it('sends NAT', async () => {
    const to = privateKeyToAccount(generatePrivateKey()).address
    const before = await client.getBalance({ address: owner.address })
    const receipt = await included(await wallet.sendTransaction({ to, value: parseEther('1') }))
    expect(receipt).toMatchObject({ type: 'eip1559', gasUsed: 21_000n, logs: [], contractAddress: null })
    expect(receipt.effectiveGasPrice).toBeGreaterThanOrEqual(parseGwei('2'))
    expect(await client.getBalance({ address: to })).toBe(parseEther('1'))
    const spent = before - (await client.getBalance({ address: owner.address }))
    expect(spent).toBe(parseEther('1') + receipt.gasUsed * receipt.effectiveGasPrice)
  })

  it('deploys a contract at the address that follows from sender and nonce', async () => {
    const hash = await wallet.deployContract({ abi: tokenAbi, bytecode: tokenBytecode, args: [SUPPLY] })
    const receipt = await included(hash)
    expect(receipt.contractAddress).toBeTruthy()
    token = receipt.contractAddress ?? zeroAddress
    expect((await client.getCode({ address: token }))?.length).toBeGreaterThan(1_000)
    expect(await client.readContract({ address: token, abi: tokenAbi, functionName: 'name' })).toBe('Test Token')
    expect(receipt.logs).toHaveLength(1)
  })

  it('simulates, writes to and reads from it', async () => {
    const call = { address: token, abi: tokenAbi, functionName: 'transfer', args: [other.address, 5n] } as const
    const { request, result } = await client.simulateContract({ ...call, account: owner })
    expect(result).toBe(true)
    const receipt = await included(await wallet.writeContract(request))
    const [log] = receipt.logs
    expect(decodeEventLog({ abi: tokenAbi, data: log?.data ?? '0x', topics: log?.topics ?? [] })).toEqual({
      eventName: 'Transfer',
      args: { from: owner.address, to: other.address, value: 5n },
    })
    const balance = { address: token, abi: tokenAbi, functionName: 'balanceOf', args: [other.address] } as const
    expect(await client.readContract(balance)).toBe(5n)
    // The balance was 0 before the block.
    expect(await client.readContract({ ...balance, blockNumber: receipt.blockNumber - 1n })).toBe(0n)
  })

  it('estimates as much gas as is enough', async () => {
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [other.address, 1n] })
    const gas = await client.estimateGas({ account: owner, to: token, data })
    const receipt = await included(await wallet.sendTransaction({ to: token, data, gas }))
    expect(receipt.gasUsed).toBeLessThanOrEqual(gas)
    expect(gas).toBeLessThan(receipt.gasUsed * 2n)
    expect(await client.estimateGas({ account: owner, to: other.address, value: 1n })).toBe(21_000n)
  })

  it('sends several transactions at once, and the pending nonce counts them', async () => {
    const address = accountAt(2).address
    const second = createWallet(node(), accountAt(2))
    const first = await client.getTransactionCount({ address })
    const send = (offset: number): Promise<Hash> =>
      second.sendTransaction({ to: other.address, value: 1n, nonce: first + offset })
    const hashes = await Promise.all([send(2), send(1), send(0)])
    expect(await client.getTransactionCount({ address, blockTag: 'pending' })).toBe(first + 3)
    await Promise.all(hashes.map(included))
    expect(await client.getTransactionCount({ address })).toBe(first + 3)
  })
})

describe('transactions of every type', () => {
  const types = [
    ['legacy', { type: 'legacy' }],
    ['eip2930', { type: 'eip2930', accessList: [{ address: zeroAddress, storageKeys: [] }] }],
    ['eip1559', { type: 'eip1559' }],
  ] as const
  it.each(types)('%s is sent, included and read back', async (type, fields) => {
    const hash = await wallet.sendTransaction({ to: other.address, value: 1n, ...fields })
    const receipt = await included(hash)
    expect(receipt.type).toBe(type)
    const transaction = await client.getTransaction({ hash })
    expect(transaction).toMatchObject({ hash, type, value: 1n, chainId: EVM_CHAIN_ID, blockHash: receipt.blockHash })
    expect(transaction.from).toBe(owner.address.toLowerCase())
  })

  it('eip7702 gives an account the code of a contract', async () => {
    const account = accountAt(3)
    const delegated = createWallet(node(), account)
    const authorization = await delegated.signAuthorization({ contractAddress: token, executor: 'self' })
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'self' })
    const hash = await delegated.sendTransaction({ to: account.address, data, authorizationList: [authorization] })
    expect(await included(hash)).toMatchObject({ type: 'eip7702' })
    expect((await client.getTransaction({ hash })).authorizationList).toHaveLength(1)
    expect(await client.getCode({ address: account.address })).toBe(`0xef0100${token.slice(2).toLowerCase()}`)
    const self = await client.readContract({ address: account.address, abi: tokenAbi, functionName: 'self' })
    expect(self).toBe(account.address)
  })
})

describe('what the node prepares for a transaction', () => {
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [accountAt(4).address, 9n] })

  it('lists what it touches, and the call with the list uses as much gas as told', async () => {
    const { accessList, gasUsed } = await client.createAccessList({ account: owner.address, to: token, data })
    expect(accessList).toMatchObject([{ address: token.toLowerCase(), storageKeys: [expect.any(String)] }])
    const hash = await wallet.sendTransaction({ to: token, data, accessList })
    expect(await included(hash)).toMatchObject({ type: 'eip1559', gasUsed })
  })

  it('lists no precompile of the chain: like those of Ethereum they are warm in any case', async () => {
    const code = '0x600060006000600060006108045af1610999315b00' // CALL of the bank, BALANCE of nobody
    const call = { from: owner.address, to: other.address, gas: '0x186a0' }
    const params = [call, 'latest', { [other.address]: { code } }]
    const answer = await client.request({ method: 'eth_createAccessList' as never, params: params as never })
    expect(answer).toMatchObject({ accessList: [{ address: `0x${'999'.padStart(40, '0')}`, storageKeys: [] }] })
  })

  it('fills in what a transaction lacks, and answers with its receipt once it is included', async () => {
    const { transaction } = await client.fillTransaction({ account: owner.address, to: token, data })
    expect(transaction).toMatchObject({ type: 'eip1559', chainId: EVM_CHAIN_ID, to: token.toLowerCase() })
    const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction
    const request = { type: 'eip1559', to: token, data, nonce, gas, maxFeePerGas, maxPriorityFeePerGas } as const
    const serializedTransaction = await owner.signTransaction({ ...request, chainId: EVM_CHAIN_ID } as never)
    const receipt = await client.sendRawTransactionSync({ serializedTransaction, timeout: 20_000 })
    expect(receipt).toMatchObject({ status: 'success', from: owner.address.toLowerCase() })
    expect(await client.getTransactionReceipt({ hash: receipt.transactionHash })).toEqual(receipt)
  })
})

describe('blocks, fees and receipts', () => {
  it('shows a block with its transactions, by number and by hash', async () => {
    const { blockNumber, blockHash, transactionHash } = await included(
      await wallet.sendTransaction({ to: other.address, value: 7n }),
    )
    const block = await client.getBlock({ blockNumber, includeTransactions: true })
    expect(block.hash).toBe(blockHash)
    expect(block.transactions.map(({ hash }) => hash)).toContain(transactionHash)
    const byHash = await client.getBlock({ blockHash })
    expect(byHash.transactions).toEqual(block.transactions.map(({ hash }) => hash))
    expect(byHash.parentHash).toBe((await client.getBlock({ blockNumber: blockNumber - 1n })).hash)
    const receipts = await client.request({ method: 'eth_getBlockReceipts' as never, params: [blockHash] as never })
    expect(receipts).toHaveLength(block.transactions.length)
    for (const blockTag of ['safe', 'finalized'] as const) {
      expect((await client.getBlock({ blockTag })).number).toBeGreaterThanOrEqual(blockNumber)
    }
  })

  it('suggests fees that it accepts', async () => {
    const history = await client.getFeeHistory({ blockCount: 4, rewardPercentiles: [25, 75] })
    expect(history.baseFeePerGas).toHaveLength(history.gasUsedRatio.length + 1)
    const fees = await client.estimateFeesPerGas()
    expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(parseGwei('2'))
    const [baseFee = 0n] = history.baseFeePerGas.slice(-1)
    for (const rewards of history.reward ?? []) {
      for (const reward of rewards) expect(baseFee + reward).toBeGreaterThanOrEqual(parseGwei('2'))
    }
    expect(await client.getGasPrice()).toBeGreaterThanOrEqual(parseGwei('2'))
    expect(await client.getChainId()).toBe(EVM_CHAIN_ID)
  })

  it('answers calls that viem sends as one batch', async () => {
    const transport = http(node().urls.http, { batch: { batchSize: 100, wait: 5 }, retryCount: 0 })
    const batching = createPublicClient({ chain: chainOf(node()), transport })
    const balanceOf = (address: Address): Promise<bigint> =>
      batching.readContract({ address: token, abi: tokenAbi, functionName: 'balanceOf', args: [address] })
    const balances = await Promise.all(
      Array.from({ length: 40 }, (_, index) => balanceOf(accountAt(index % 2).address)),
    )
    expect(balances).toEqual(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? SUPPLY - 5n : 5n)))
    const mixed = await Promise.allSettled([
      batching.getChainId(),
      batching.call({ to: token, data: '0x12345678' }),
      batching.getBlockNumber(),
    ])
    expect(mixed.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})

describe('logs', () => {
  const transferToken = (value: bigint): Promise<Hash> =>
    wallet.writeContract({ address: token, abi: tokenAbi, functionName: 'transfer', args: [other.address, value] })

  it('are found by address, event and argument', async () => {
    const { blockNumber } = await included(await transferToken(11n))
    const [event] = tokenAbi.filter((item) => item.type === 'event' && item.name === 'Transfer')
    const search = { address: token, event, fromBlock: 0n, toBlock: blockNumber } as const
    const logs = await client.getContractEvents({ ...search, abi: tokenAbi, eventName: 'Transfer' })
    expect(logs.map(({ args }) => args.value)).toEqual([SUPPLY, 5n, 11n])
    const minted = await client.getContractEvents({
      ...search,
      abi: tokenAbi,
      eventName: 'Transfer',
      args: { from: zeroAddress },
    })
    expect(minted.map(({ args }) => args.value)).toEqual([SUPPLY])
    expect(await client.getLogs({ address: other.address, fromBlock: 0n })).toEqual([])
  })

  it('come through filters, each once', async () => {
    const filter = await client.createContractEventFilter({ address: token, abi: tokenAbi, eventName: 'Transfer' })
    const blocks = await client.createBlockFilter()
    const pending = await client.createPendingTransactionFilter()
    const hash = await transferToken(13n)
    const { blockHash } = await included(hash)
    expect((await client.getFilterLogs({ filter })).map(({ args }) => args.value)).toEqual([13n])
    expect(await client.getFilterChanges({ filter: pending })).toEqual([hash])
    expect((await client.getFilterChanges({ filter })).map(({ args }) => args.value)).toEqual([13n])
    expect(await client.getFilterChanges({ filter })).toEqual([])
    expect(await client.getFilterChanges({ filter: blocks })).toContain(blockHash)
    expect(await client.uninstallFilter({ filter })).toBe(true)
    expect(await client.uninstallFilter({ filter })).toBe(false)
  })

  it('are pushed over a WebSocket, with the heads and the pending hashes', async () => {
    const socket = createSocketClient(node())
    const heads = new Map<bigint, Hex | null>()
    const logs: { readonly value: bigint | undefined; readonly isAfterHead: boolean }[] = []
    const pending = new Set<Hash>()
    const problems: Error[] = []
    const onError = (error: Error): void => void problems.push(error)
    const stops = [
      socket.watchBlocks({ onBlock: ({ number, hash }) => void heads.set(number, hash), onError }),
      socket.watchPendingTransactions({ onTransactions: (all) => all.forEach((hash) => pending.add(hash)), onError }),
      socket.watchContractEvent({
        address: token,
        abi: tokenAbi,
        eventName: 'Transfer',
        onLogs: (found) => {
          for (const { args, blockNumber } of found)
            logs.push({ value: args.value, isAfterHead: heads.has(blockNumber) })
        },
        onError,
      }),
    ]
    await until('a first head', () => (heads.size > 0 ? true : undefined))
    const hash = await transferToken(17n)
    const { blockNumber, blockHash } = await included(hash)
    await until('the log', () => (logs.length > 0 ? true : undefined))
    await until('the head', () => heads.get(blockNumber) ?? undefined)
    expect(logs.map(({ value }) => value)).toEqual([17n])
    expect(heads.get(blockNumber)).toBe(blockHash)
    expect(pending).toContain(hash)
    await until('two heads more', () => (heads.has(blockNumber + 2n) ? true : undefined))
    const numbers = [...heads.keys()]
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0n) + BigInt(index)))
    for (const stop of stops) stop()
    ;(await socket.transport.getRpcClient()).close()
    expect(problems).toEqual([])
  })
})

describe("viem's errors", () => {
  it('name missing funds', async () => {
    const poor = createWallet(node(), privateKeyToAccount(generatePrivateKey()))
    await rejection(poor.sendTransaction({ to: other.address, value: 1n }), InsufficientFundsError)
    await rejection(poor.sendTransaction({ to: other.address, value: 1n, gas: 21_000n }), InsufficientFundsError)
  })

  it('name a nonce that is too low', async () => {
    await rejection(wallet.sendTransaction({ to: other.address, nonce: 0, gas: 21_000n }), NonceTooLowError)
  })

  it('carry the reason, the error and the panic of a contract', async () => {
    const { ContractFunctionRevertedError: Reverted } = await import('viem')
    const simulate = (functionName: 'transfer' | 'transferFrom' | 'divide', args: readonly unknown[]) =>
      client.simulateContract({ address: token, abi: tokenAbi, functionName, args, account: other } as never)
    const reverted = (action: Promise<unknown>): Promise<ContractFunctionRevertedError> => rejection(action, Reverted)
    expect((await reverted(simulate('transfer', [owner.address, SUPPLY * 2n]))).reason).toBe('balance is too low')
    const custom = await reverted(simulate('transferFrom', [owner.address, other.address, SUPPLY]))
    expect(custom.data).toMatchObject({ errorName: 'InsufficientAllowance', args: [other.address, 1n, SUPPLY] })
    expect((await reverted(simulate('divide', [1n, 0n]))).data).toMatchObject({ errorName: 'Panic', args: [18n] })
  })

  it('name a revert of an estimate and of a deployment', async () => {
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [owner.address, SUPPLY * 2n] })
    const estimate = client.estimateGas({ account: other, to: token, data })
    const error = await rejection(estimate, ExecutionRevertedError)
    expect(error.message).toContain('balance is too low')
    // The constructor takes no value.
    const creation = encodeDeployData({ abi: tokenAbi, bytecode: tokenBytecode, args: [1n] })
    await rejection(client.estimateGas({ account: owner, data: creation, value: 1n }), ExecutionRevertedError)
  })

  it('a failed transaction has a receipt that says so', async () => {
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [owner.address, SUPPLY * 2n] })
    const hash = await createWallet(node(), other).sendTransaction({ to: token, data, gas: 100_000n })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt).toMatchObject({ status: 'reverted', logs: [] })
    expect(receipt.gasUsed).toBeLessThan(100_000n)
  })
})
