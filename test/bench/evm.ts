/**
 * ERC-20 transfers and a loop through the engine alone, over an overlay: calls and gas a second of processor time.
 * Run: node test/bench/evm.ts [transfers] [interpreter | ethereumjs]
 */
import { encodeDeployData, encodeFunctionData } from 'viem'
import { hexToBytes } from '../../core/hex.ts'
import { keccak256 } from '../../core/hash.ts'
import { uint64ToBytes } from '../../core/bytes.ts'
import type { BlockEnvironment, ExecutionResult, Message } from '../../evm/engine.ts'
import { createEthereumjsEngine } from '../../evm/reference/create-engine.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import { tokenAbi, tokenBytecode } from '../e2e/contracts/token.ts'

const TRANSFERS = Number(process.argv[2] ?? 20_000)
const SENDERS = 64
const LOOP_GAS = 16_000_000n

const cpuMs = (): number => process.cpuUsage().user / 1_000
const state = new Overlay(new LatestState(openMemoryStore(), 10_000))
const engine = process.argv[3] === 'ethereumjs' ? await createEthereumjsEngine() : await createInterpreterEngine()
const block: BlockEnvironment = {
  number: 1,
  timestamp: 1_700_000_000,
  coinbase: new Uint8Array(20).fill(0xcc),
  gasLimit: 1_000_000_000n,
  baseFeePerGas: 1_900_000_000n,
  blobBaseFee: 1n,
  prevRandao: new Uint8Array(32),
  chainId: 2517n,
  hardfork: 'osaka',
  blockHash: () => undefined,
}
const nonces = new Map<Uint8Array, bigint>()
const senders = Array.from({ length: SENDERS }, (_, index) => keccak256(uint64ToBytes(index + 1)).slice(12))
for (const sender of senders) state.setAccount(sender, { ...EMPTY_ACCOUNT, balance: 10n ** 24n })

const run = async (sender: Uint8Array, to: Uint8Array | undefined, data: Uint8Array, gasLimit: bigint) => {
  const nonce = nonces.get(sender) ?? 0n
  nonces.set(sender, nonce + 1n)
  const message: Message = {
    type: 2,
    sender,
    to,
    nonce,
    gasLimit,
    value: 0n,
    data,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    accessList: [],
    authorizationList: [],
    blobVersionedHashes: [],
    maxFeePerBlobGas: undefined,
  }
  state.beginTransaction()
  const outcome = await engine.execute(state, block, message, { fees: 'collect', checks: 'transaction' })
  if (!outcome.valid) throw outcome.error
  return outcome.result
}
const succeeded = (result: ExecutionResult): ExecutionResult => {
  if (result.failure !== undefined) throw new TypeError(result.failure.message)
  return result
}
const [first] = senders as [Uint8Array]
const supply = 10n ** 24n
const deploy = encodeDeployData({ abi: tokenAbi, bytecode: tokenBytecode, args: [supply] })
const { createdAddress } = succeeded(await run(first, undefined, hexToBytes(deploy), 3_000_000n))
const transfer = (index: number, amount: bigint): Uint8Array => {
  const to = `0x${(index % 1_000).toString(16).padStart(40, '1')}` as const
  return hexToBytes(encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, amount] }))
}
for (const sender of senders) {
  const to = `0x${Buffer.from(sender).toString('hex')}` as const
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, 10n ** 20n] })
  succeeded(await run(first, createdAddress, hexToBytes(data), 100_000n))
}
const calls = Array.from({ length: TRANSFERS }, (_, index) => transfer(index, 1n))
let gas = 0n
const from = cpuMs()
for (const [index, data] of calls.entries()) {
  gas += succeeded(await run(senders[index % SENDERS] ?? first, createdAddress, data, 100_000n)).gasUsed
}
const ms = cpuMs() - from
console.log(
  `erc-20 transfers: ${((TRANSFERS / ms) * 1_000).toFixed(0)}/s, ${(Number(gas) / ms / 1_000).toFixed(1)} Mgas/s`,
)
const loopFrom = cpuMs()
await run(first, undefined, hexToBytes('0x5b5f56'), LOOP_GAS)
const loopMs = cpuMs() - loopFrom
console.log(
  `a loop of ${LOOP_GAS} gas: ${loopMs.toFixed(0)} ms, ${(Number(LOOP_GAS) / loopMs / 1_000).toFixed(1)} Mgas/s`,
)
