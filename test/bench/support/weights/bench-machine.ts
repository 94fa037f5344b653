/** Runs programs on the interpreter over a given state and takes the time. */
import type { BlockEnvironment, ExecutionResult, Message } from '../../../../evm/engine.ts'
import { createInterpreterEngine } from '../../../../evm/interpreter/create-engine.ts'
import { EMPTY_BYTES } from '../../../../core/bytes.ts'
import type { Overlay } from '../../../../store/overlay.ts'
import { EMPTY_ACCOUNT, type StateReader } from '../../../../store/state.ts'

export const BENCH_BLOCK: BlockEnvironment = {
  number: 1_000,
  timestamp: 1_700_000_000,
  coinbase: new Uint8Array(20).fill(0xcc),
  gasLimit: 1_000_000_000n,
  baseFeePerGas: 1n,
  blobBaseFee: 1n,
  prevRandao: new Uint8Array(32),
  chainId: 2517n,
  hardfork: 'osaka',
  blockHash: () => undefined,
}
export const SENDER = new Uint8Array(20).fill(0xaa)
/** Whose code is measured. */
export const TARGET = new Uint8Array(20).fill(0x77)
export const engine = await createInterpreterEngine()

/** An address that a number names: in the low bytes, behind a byte that no precompile has. */
export const addressOf = (number: number): Uint8Array => {
  const address = new Uint8Array(20)
  address[0] = 0x70
  new DataView(address.buffer).setUint32(16, number)
  return address
}

export const setCode = (state: Overlay, address: Uint8Array, code: Uint8Array): void =>
  state.setAccount(address, { ...EMPTY_ACCOUNT, nonce: 1n, balance: 10n ** 24n, codeHash: state.setCode(code) })

/** Processor time of the whole process, in nanoseconds: garbage collection and compilation are paid by the same core. */
export const processorNs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1_000
}

export const messageTo = (state: StateReader, gasLimit: bigint, rest: Partial<Message> = {}): Message => ({
  type: 2,
  sender: SENDER,
  to: TARGET,
  nonce: state.account(SENDER)?.nonce ?? 0n,
  gasLimit,
  value: 0n,
  data: EMPTY_BYTES,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
  accessList: [],
  authorizationList: [],
  blobVersionedHashes: [],
  maxFeePerBlobGas: undefined,
  ...rest,
})

/** Executes a message to the target. */
export const execute = (
  state: Overlay,
  gasLimit: bigint,
  rest: Partial<Message> = {},
  block: BlockEnvironment = BENCH_BLOCK,
): ExecutionResult => {
  const held = state.account(SENDER) ?? EMPTY_ACCOUNT
  state.setAccount(SENDER, { ...held, balance: 10n ** 30n })
  state.beginTransaction()
  const outcome = engine.execute(state, block, messageTo(state, gasLimit, rest), { fees: 'collect', checks: 'nonce' })
  if (outcome instanceof Promise) throw new TypeError('the interpreter has become asynchronous')
  if (!outcome.valid) throw outcome.error
  return outcome.result
}
