/** A shell as somebody has it who follows a page: it waits for a command, and lets a server run until that is stopped. */
import { type ChildProcess, spawn } from 'node:child_process'
import { endWithUs, PATIENCE_MS, until } from '../harness.ts'

export interface Ran {
  /** The exit status, or the signal that ended it. */
  readonly status: number | string
  readonly stdout: string
  readonly stderr: string
}

interface Place {
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
}

interface Running {
  readonly text: string
  readonly child: ChildProcess
  readonly ended: Promise<Ran>
  /** What it has written so far, to both of its outputs. */
  output(): string
}

const startIn = (text: string, { folder, environment }: Place): Running => {
  const child = spawn('bash', ['-uo', 'pipefail', '-c', text], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group: what is sent to it reaches all of a pipeline, as Ctrl-C does.
    detached: true,
  })
  endWithUs(child, true)
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (part: string) => {
      written[name] += part
    })
  }
  const ended = new Promise<Ran>((resolve) => {
    child.once('close', (code, signal) => resolve({ status: code ?? signal ?? '', ...written }))
  })
  return { text, child, ended, output: () => written.stdout + written.stderr }
}

const signal = (child: ChildProcess, name: NodeJS.Signals): void => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(-child.pid, name)
}

export class Shell {
  readonly #running: Running[] = []

  async run(text: string, place: Place): Promise<Ran> {
    const { child, ended } = startIn(text, place)
    const timer = setTimeout(() => signal(child, 'SIGKILL'), PATIENCE_MS)
    const ran = await ended
    clearTimeout(timer)
    return ran
  }

  /** Starts what goes on until it is stopped. Returns what is wrong with its start. */
  async start(text: string, place: Place, isReady: (output: string) => Promise<boolean>): Promise<string | undefined> {
    // The last command takes the place of the shell, which would end by Ctrl-C without waiting for it.
    const running = startIn(text.replace(/^(.*&& )?/, '$1exec '), place)
    this.#running.push(running)
    const ready = until(
      'it is ready',
      async () => ((await isReady(running.output())) ? 'ready' : undefined),
      PATIENCE_MS,
    )
    const first = await Promise.race([ready.catch(String), running.ended])
    if (first === 'ready') return undefined
    return `${typeof first === 'string' ? first : `it ended with ${first.status}`}: ${running.output().slice(-1_500)}`
  }

  /** Presses Ctrl-C. Returns what did not end as it should. */
  async stop(): Promise<readonly string[]> {
    const faults: string[] = []
    for (const { text, child, ended } of this.#running.splice(0).toReversed()) {
      signal(child, 'SIGINT')
      const timer = setTimeout(() => signal(child, 'SIGKILL'), PATIENCE_MS)
      const { status, stderr } = await ended
      clearTimeout(timer)
      if (status !== 0 && status !== 'SIGINT' && status !== 130)
        faults.push(`${text}: Ctrl-C ended it with ${status}: ${stderr.slice(-500)}`)
    }
    return faults
  }
}
