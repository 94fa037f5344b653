/** One child process that never outlives this one: not even when this one is killed with SIGKILL. */
import { spawn } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import type { Readable } from 'node:stream'

/**
 * The child runs below a shell that holds the reading end of a pipe from us (descriptor 3). When we end, however, the
 * kernel closes the pipe, the shell reads its end and stops the child: SIGTERM, and SIGKILL a second later.
 */
const WATCHDOG = `
trap : TERM INT HUP
"$@" 3<&- &
child=$!
( read -r _ <&3; kill -TERM "$child"; sleep 1; kill -KILL "$child" ) 2>/dev/null &
watcher=$!
exec 3<&-
wait "$child"; status=$?
while kill -0 "$child" 2>/dev/null; do wait "$child"; status=$?; done
kill -KILL "$watcher" 2>/dev/null
exit "$status"
`

/** A SIGTERM that came while the shell was still making the child is lost: it is said once more. */
const REPEAT_MS = 300
/** Lines of a child's output kept for the message when it dies. */
const KEPT_LINES = 20
const MAX_LINE_CHARACTERS = 2_000

export interface ChildOptions {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** All output goes there, beside `onLine`. */
  readonly logFile?: string
  onLine?(line: string): void
}

export interface ChildExit {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined
  readonly signal: string | undefined
  readonly lastLines: readonly string[]
}

export interface Child {
  readonly pid: number
  readonly exited: Promise<ChildExit>
  /** SIGTERM, once more if it lives on, then SIGKILL after the grace period. Settles when it has ended. */
  stop(graceMs: number): Promise<void>
}

const readLines = (stream: Readable | null, onLine: (line: string) => void): void => {
  if (stream === null) return
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS)
    for (const line of lines) onLine(line)
  })
  stream.on('end', () => {
    if (rest !== '') onLine(rest)
  })
}

const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended already.
  }
}

export const startChild = (options: ChildOptions): Child => {
  const { name, command, args, logFile } = options
  const child = spawn('/bin/sh', ['-c', WATCHDOG, name, command, ...args], {
    // A group of its own: Ctrl-C in the terminal reaches us alone, and we stop the children in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...options.environment },
  })
  const log: WriteStream | undefined = logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a' })
  const lastLines: string[] = []
  const keep = (line: string): void => {
    lastLines.push(line.slice(0, MAX_LINE_CHARACTERS))
    if (lastLines.length > KEPT_LINES) lastLines.shift()
    log?.write(`${line}\n`)
    options.onLine?.(line)
  }
  readLines(child.stdout, keep)
  readLines(child.stderr, keep)
  // The pipe is never written to, and a broken one says nothing new.
  child.stdio[3]?.on('error', () => undefined)
  const pid = child.pid ?? 0
  const exited = new Promise<ChildExit>((resolve) => {
    child.on('error', (error) => keep(error.message))
    child.on('close', (code, signal) => {
      // Whatever is left of the group when the shell itself was killed.
      if (pid !== 0) signalGroup(pid, 'SIGKILL')
      log?.end()
      resolve({ code: code ?? undefined, signal: signal ?? undefined, lastLines })
    })
  })
  return {
    pid,
    exited,
    stop: async (graceMs) => {
      signalGroup(pid, 'SIGTERM')
      const timers = [
        setTimeout(() => signalGroup(pid, 'SIGTERM'), REPEAT_MS),
        setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs),
      ]
      await exited
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
