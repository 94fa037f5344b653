/** The honest client as a process: `node run-honest.ts URL`. It sends each sample over the channel of its parent. */
import { askHonestly } from './honest.ts'

const LIMIT_MS = 5_000
const stop = new AbortController()
process.once('disconnect', () => stop.abort())
const tell = (sample: unknown): void => void process.send?.(sample)
await askHonestly(process.argv[2] ?? '', { limitMs: LIMIT_MS, signal: stop.signal, tell })
