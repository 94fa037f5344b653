/** A devnet for benchmarks: its own home, the usual ports, and what it takes of memory. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, http } from 'viem'

const root = join(import.meta.dirname, '..', '..', '..')
const shared = join(root, '..', 'shared', 'tools', 'evm-load')
/** A copy of the load tool with its packages installed. */
export const loadTool = join(root, '.cache', 'evm-load')
export const RPC = 'http://127.0.0.1:8545'
/** Account 0 of the public mnemonic. */
export const RICH_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

export const client = createPublicClient({ transport: http(RPC, { retryCount: 1, retryDelay: 0 }) })

export const machine = (): string => `${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}`

/** Ends the process with a message where the load tool is not at hand. */
export const requireLoadTool = (): void => {
  if (!existsSync(shared)) {
    console.log('skipped: the load tool is not at ../shared/tools/evm-load')
    process.exit(0)
  }
  if (existsSync(join(loadTool, 'node_modules'))) return
  cpSync(shared, loadTool, { recursive: true })
  execFileSync('npm', ['ci', '--silent'], { cwd: loadTool, stdio: 'inherit' })
}

const RETRY_MS = 10

const answers = (): Promise<boolean> =>
  client.getBlockNumber({ cacheTime: 0 }).then(
    () => true,
    () => false,
  )

export class Devnet {
  readonly home = mkdtempSync(join(tmpdir(), 'bench-devnet-'))
  #process: ChildProcess | undefined

  /** Milliseconds from the command to the first answered request. */
  async start(): Promise<number> {
    if (await answers()) throw new TypeError('another node answers on port 8545: stop it first')
    const from = performance.now()
    const child = spawn(join(root, 'chain'), ['devnet'], {
      env: { ...process.env, DEVNET_HOME: this.home },
      stdio: 'ignore',
    })
    this.#process = child
    for (;;) {
      if (child.exitCode !== null) throw new TypeError(`the devnet ended with status ${child.exitCode}: ports in use?`)
      if (await answers()) return performance.now() - from
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  async stop(): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    await ended
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true })
  }

  /** Ids of the processes that do the work, by their part. */
  processIds(): ReadonlyMap<string, number> {
    return new Map(this.#children().map(({ part, pid }) => [part, pid]))
  }

  /** Resident memory in MB: supervisor, application, gateway, all. */
  memory(): string {
    const of = (wanted: string): number => this.#children().find(({ part }) => part === wanted)?.megabytes ?? 0
    const parts = ['supervisor', 'application', 'gateway'].map(of)
    const all = parts.reduce((sum, each) => sum + each, 0)
    return `${parts.map((each) => each.toFixed(0)).join(' + ')} = ${all.toFixed(0)} MB`
  }

  #children(): readonly { readonly part: string; readonly pid: number; readonly megabytes: number }[] {
    const own = this.#process?.pid ?? 0
    return execFileSync('ps', ['-eo', 'pid=,ppid=,rss=,args='], { encoding: 'utf8' })
      .split('\n')
      .flatMap((line) => {
        const [pid, parent, kilobytes] = line.trim().split(/\s+/, 3).map(Number)
        if (pid === own) return [{ part: 'supervisor', pid, megabytes: Number(kilobytes) / 1024 }]
        const part =
          parent === own ? /(?<=\.ts devnet-)application|(?<=\.ts )gateway|cometbft/.exec(line)?.[0] : undefined
        return part === undefined ? [] : [{ part, pid: Number(pid), megabytes: Number(kilobytes) / 1024 }]
      })
  }
}

/** Runs load.mjs of the tool; its report goes to standard output. */
export const runLoad = (json: string, ...options: readonly string[]): void => {
  execFileSync(
    process.execPath,
    ['load.mjs', '--quiet', '--rpc', RPC, '--fund-key', RICH_KEY, '--json', json, ...options],
    { cwd: loadTool, stdio: 'inherit' },
  )
}
