/** One child process that never outlives this one: not even when this one is killed with SIGKILL. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { escapeControls } from '../runtime/printable.ts'
import { childEnvironment } from './child-environment.ts'

/**
 * The kernel kills the child when its parent dies (PR_SET_PDEATHSIG of prctl(2), which setpriv of util-linux sets): no
 * process stands between the two that could be killed instead. A parent that died before that was set is found out by
 * the shell, which then becomes the child.
 */
const GUARD = ['--pdeathsig', 'KILL', '/bin/sh', '-c', '[ "$PPID" = "$0" ] && exec "$@"'] as const

/** Somebody else may hold its pipes open after its end: what is in them by then was read. */
const LAST_WORDS_MS = 300
/** Lines of a child's output kept for the message when it dies. */
const KEPT_LINES = 20
const MAX_LINE_CHARACTERS = 2_000

const PANIC = /^(?:panic|fatal error): /

export interface ChildOptions {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Whether it reads settings of this node; true when left out. */
  readonly hasSettings?: boolean
  onLine?(line: string, stream: 'stdout' | 'stderr'): void
  /** Called with each message: the child gets a channel for messages (that of process.send) when this is given. */
  onMessage?(message: unknown): void
}

export interface ChildExit {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined
  readonly signal: string | undefined
  readonly lastLines: readonly string[]
  /** What a program in Go says first when it dies of a fault, before the lines of all its routines. */
  readonly panic: string | undefined
}

export interface Child {
  readonly pid: number
  readonly exited: Promise<ChildExit>
  send(message: object): void
  /** SIGKILL. */
  kill(): void
  /** SIGTERM, then SIGKILL after the grace period. Settles when it has ended. */
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
  if (pid === 0) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended already.
  }
}

/** Settles with the end of the process itself: whoever inherited its pipes may live on. */
const untilExit = (
  child: ChildProcess,
  onError: (text: string) => void,
): Promise<Omit<ChildExit, 'lastLines' | 'panic'>> =>
  new Promise((resolve) => {
    child.on('error', (error) => {
      onError(error.message)
      // It was never started; else its end follows.
      if (child.pid === undefined) resolve({ code: undefined, signal: undefined })
    })
    child.on('exit', (code, signal) => {
      const exit = { code: code ?? undefined, signal: signal ?? undefined }
      // Whatever it has started.
      signalGroup(child.pid ?? 0, 'SIGKILL')
      const timer = setTimeout(resolve, LAST_WORDS_MS, exit)
      child.on('close', () => {
        clearTimeout(timer)
        resolve(exit)
      })
    })
  })

export const startChild = (options: ChildOptions): Child => {
  const { command, args, onMessage } = options
  const child = spawn('setpriv', [...GUARD, String(process.pid), command, ...args], {
    // A group of its own: Ctrl-C in the terminal reaches us alone, and we stop the children in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(onMessage === undefined ? [] : (['ipc'] as const))],
    env: { ...childEnvironment(process.env, options.hasSettings), ...options.environment },
  })
  const lastLines: string[] = []
  let panic: string | undefined
  const keep = (raw: string, stream: 'stdout' | 'stderr'): void => {
    const line = escapeControls(raw)
    lastLines.push(line.slice(0, MAX_LINE_CHARACTERS))
    if (lastLines.length > KEPT_LINES) lastLines.shift()
    if (PANIC.test(line)) panic ??= line.slice(0, MAX_LINE_CHARACTERS)
    options.onLine?.(line, stream)
  }
  readLines(child.stdout, (line) => keep(line, 'stdout'))
  readLines(child.stderr, (line) => keep(line, 'stderr'))
  if (onMessage !== undefined) child.on('message', onMessage)
  const pid = child.pid ?? 0
  const exited = untilExit(child, (text) => keep(text, 'stderr')).then((exit) => {
    child.stdout?.destroy()
    child.stderr?.destroy()
    return { ...exit, lastLines, panic }
  })
  return {
    pid,
    exited,
    send: (message) => {
      // One that is ending has closed its side.
      if (child.connected) child.send(message, () => undefined)
    },
    kill: () => signalGroup(pid, 'SIGKILL'),
    stop: async (graceMs) => {
      signalGroup(pid, 'SIGTERM')
      const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs)
      await exited
      clearTimeout(timer)
    },
  }
}
