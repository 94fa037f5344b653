/** Traces a call over an empty state and its overrides: no chain stands behind it. */
import { contractAddress } from '../../../core/address.ts'
import { hexToBigint } from '../../../core/hex.ts'
import { invariant } from '../../../core/errors.ts'
import type { BlockEnvironment } from '../../../evm/engine.ts'
import { createInterpreterEngine } from '../../../evm/interpreter/create-engine.ts'
import { LatestState } from '../../../store/latest.ts'
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import { Overlay } from '../../../store/overlay.ts'
import type { CallRequest, StateOverrides, TracerChoice } from '../../../app/ports.ts'
import { toCallMessage } from '../../message.ts'
import { applyStateOverrides } from '../../overrides.ts'
import { TraceBudget, type TraceLimits } from '../budget.ts'
import { createTracer } from '../create-tracer.ts'

const CHAIN_ID = 1337n
const engine = await createInterpreterEngine()

const ENVIRONMENT: BlockEnvironment = {
  number: 10,
  timestamp: 1_700_000_000,
  coinbase: new Uint8Array(20).fill(0xcb),
  gasLimit: 1_000_000_000n,
  baseFeePerGas: 0n,
  blobBaseFee: 1n,
  prevRandao: new Uint8Array(32),
  chainId: CHAIN_ID,
  hardfork: 'osaka',
  blockHash: () => undefined,
}

const UNLIMITED: TraceLimits = { clock: { nowMs: () => 0 }, timeoutMs: 1, totalMs: 1 }

/** The parsed answer. */
export const traceProgram = async (
  choice: TracerChoice,
  call: CallRequest,
  overrides: StateOverrides = {},
  limits: Partial<TraceLimits> = {},
): Promise<unknown> => {
  const state = new Overlay(new LatestState(openMemoryStore(), 1_000))
  applyStateOverrides(state, ENVIRONMENT.hardfork, overrides)
  const message = toCallMessage(call, CHAIN_ID, hexToBigint(call.gas ?? '0xf4240'))
  const budget = new TraceBudget({ ...UNLIMITED, ...limits })
  const to = message.to ?? contractAddress(message.sender, 0n)
  const tracer = createTracer(choice, { state, environment: ENVIRONMENT, message, to, place: undefined, budget })
  budget.beginTransaction()
  const options = { fees: 'none', checks: 'call', ...tracer.hooks } as const
  const outcome = await engine.execute(state, ENVIRONMENT, message, options)
  invariant(outcome.valid, 'a traced call can be executed')
  tracer.end?.(outcome.result)
  return JSON.parse(tracer.result())
}
