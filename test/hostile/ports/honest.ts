/** The honest client: asks three light questions every 50 ms over one connection, and says how long each took. */
import { setTimeout as sleep } from 'node:timers/promises'
import { askHttp, keptAlive, outcomeOf, rpcText } from './wire.ts'

export const EVERY_MS = 50
const ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
/** The precompile that returns what it gets. */
const IDENTITY = { to: '0x0000000000000000000000000000000000000004', data: '0x1234' }

export const HONEST_CALLS = {
  eth_blockNumber: rpcText('eth_blockNumber'),
  eth_getBalance: rpcText('eth_getBalance', [ACCOUNT, 'latest']),
  eth_call: rpcText('eth_call', [IDENTITY, 'latest']),
} as const

export type HonestMethod = keyof typeof HONEST_CALLS

export interface HonestSample {
  readonly method: HonestMethod
  readonly milliseconds: number
  /** Undefined when it was answered. */
  readonly failure: string | undefined
}

/** Goes on until `signal` is aborted. */
export const askHonestly = async (
  url: string,
  { limitMs, signal, tell }: { limitMs: number; signal: AbortSignal; tell: (sample: HonestSample) => void },
): Promise<void> => {
  const agent = keptAlive(1)
  while (!signal.aborted) {
    const startMs = performance.now()
    for (const method of Object.keys(HONEST_CALLS) as HonestMethod[]) {
      const reply = await askHttp(url, { body: HONEST_CALLS[method], agent, limitMs })
      const outcome = outcomeOf(reply)
      tell({ method, milliseconds: reply.milliseconds, failure: outcome === 'ok' ? undefined : outcome })
    }
    await sleep(Math.max(0, EVERY_MS - (performance.now() - startMs)))
  }
  agent.destroy()
}

/** The value that `share` percent of the samples do not pass. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((share / 100) * sorted.length))] ?? Number.NaN
}

/** A wait hid the samples that would have come meanwhile: they are put back, so that it counts as long as it was. */
export const latencies = (samples: readonly HonestSample[]): readonly number[] =>
  samples.flatMap(({ milliseconds }) => {
    const hidden = Math.max(0, Math.ceil(milliseconds / EVERY_MS) - 1)
    return Array.from({ length: hidden + 1 }, (_, index) => milliseconds - index * EVERY_MS)
  })
