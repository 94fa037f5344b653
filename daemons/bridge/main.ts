/** The process: `node main.ts <path of the node's socket>`. What to read the node says; nothing is kept. */
import { flushCompileCache } from 'node:module'
import { startDaemon } from './daemon.ts'

// One that is killed leaves none, and the next one would take 30 MB more to strip the types again.
flushCompileCache()

/** The daemon gives a sign of life as often as the supervisor expects one from its children. */
const PULSE_MS = 1_000

const say = (text: string): void => {
  process.stderr.write(`bridge daemon: ${text}\n`)
}
// A log that nobody reads is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const [, , path] = process.argv
if (path === undefined) {
  say('the path of the socket is missing')
  process.exitCode = 2
} else {
  const daemon = startDaemon({ path, say })
  const pulse = setInterval(
    () => process.connected && process.send?.({ type: 'pulse' }, undefined, undefined, () => undefined),
    PULSE_MS,
  )
  const stop = (): void => {
    clearInterval(pulse)
    void daemon.close().then(() => {
      if (process.connected) process.disconnect()
    })
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  // Whoever supervises has ended.
  process.once('disconnect', stop)
}
