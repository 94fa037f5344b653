import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createLog } from '../runtime/log.ts'
import { startChild } from './child.ts'
import { findCometbft } from './cometbft-binary.ts'
import { heapLimitFlags } from './heap-limit.ts'
import { keepRunning, type SupervisedOptions } from './keep-running.ts'
import { watchHealth, watchPulse } from './life-signs.ts'
import { requireFreePorts } from './ports.ts'
import { runCometbft } from './run-cometbft.ts'

const folder = mkdtempSync(join(tmpdir(), 'supervise-'))
afterAll(() => rmSync(folder, { recursive: true }))

const script = (name: string, body: string): string => {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${body}\n`)
  chmodSync(path, 0o755)
  return path
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    // A zombie is dead: only its parent has not looked yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('the CometBFT binary', () => {
  const report = (abci: string, version: string): string =>
    `echo '{"cometbft": "${version}", "abci": "${abci}", "block_protocol": 11, "p2p_protocol": 8}'`

  it.each(['0.39.0', '0.38.25'])('is decided on by its protocols, not by its version %s', async (version) => {
    const path = script('comet-good', report('2.0.0', version))
    expect(await findCometbft({ COMETBFT_BINARY: path })).toBe(path)
    expect(await findCometbft({ COMETBFT_BINARY: 'none' }, path)).toBe(path)
  })

  it('of another line is refused with what was found and what is wanted', async () => {
    const path = script('comet-v1', report('2.2.0', '1.0.1'))
    await expect(findCometbft({ COMETBFT_BINARY: path })).rejects.toMatchObject({
      codespace: 'cli',
      code: 8,
      message: expect.stringMatching(
        /is CometBFT 1\.0\.1: ABCI 2\.2\.0.*; wanted is ABCI 2\.0\.0.*v0\.40\.0/,
      ) as string,
    })
  })

  it('that does not run, or is none, is refused', async () => {
    await expect(findCometbft({ COMETBFT_BINARY: join(folder, 'missing') })).rejects.toThrowError('does not run')
    await expect(findCometbft({ COMETBFT_BINARY: script('other', 'echo v7') })).rejects.toThrowError('reports "v7"')
    await expect(findCometbft({ PATH: '', XDG_CACHE_HOME: folder })).rejects.toThrowError('no cometbft on the PATH')
  })
})

describe('ports', () => {
  it('in use are named together with what moves them', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve))
    const bound = server.address()
    const port = typeof bound === 'object' && bound !== null ? bound.port : 0
    const address = { host: '127.0.0.1', port }
    const listener = { purpose: 'JSON-RPC', address, setting: 'json-rpc.address in app.toml' }
    await expect(requireFreePorts([listener])).rejects.toMatchObject({
      codespace: 'cli',
      code: 6,
      message: `port ${port} (JSON-RPC) is in use; json-rpc.address in app.toml moves it`,
    })
    // A start right after a kill: whoever held the port is on its way out.
    const waiting = requireFreePorts([listener])
    server.close()
    await waiting
  })
})

describe('a child', () => {
  it('ends by itself with its status, signal and last lines', async () => {
    const lines: string[] = []
    const child = startChild({
      name: 'three',
      command: '/bin/sh',
      args: ['-c', 'echo one; echo two >&2; exit 3'],
      onLine: (line) => lines.push(line),
    })
    expect(await child.exited).toMatchObject({ code: 3, signal: undefined })
    expect(lines.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['one', 'two'])
  })

  it('that is stopped while it is still made does not wait for its grace', async () => {
    for (let attempt = 0; attempt < 40; attempt++) {
      const child = startChild({ name: 'young', command: '/bin/sleep', args: ['60'] })
      await sleep(attempt % 8)
      const startedAtMs = performance.now()
      await child.stop(10_000)
      expect(performance.now() - startedAtMs).toBeLessThan(5_000)
    }
  })

  it('that does not listen to SIGTERM is killed after its grace', async () => {
    const { promise: ready, resolve } = Promise.withResolvers<string>()
    const child = startChild({
      name: 'deaf',
      command: '/bin/sh',
      args: ['-c', "trap '' TERM; echo $$; while :; do sleep 1; done"],
      onLine: resolve,
    })
    const pid = Number(await ready)
    await child.stop(200)
    expect(isAlive(pid)).toBe(false)
  })

  /** A process that runs one child, which ignores SIGTERM and says its process id. */
  const startParent = (body: string): ChildProcess =>
    spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `
      const { startChild } = await import(${JSON.stringify(new URL('./child.ts', import.meta.url).href)})
      const child = startChild({ name: 'orphan', command: '/bin/sh', args: ['-c', "trap '' TERM; echo $$; while :; do sleep 0.1; done"],
        onLine: (line) => console.log(line) })
      ${body}
    `,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )

  it('ends when its parent is killed, even when it ignores SIGTERM or is stopped', async () => {
    for (const isStopped of [false, true]) {
      const parent = startParent('')
      const pid = await new Promise<number>((resolve) => {
        parent.stdout?.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())))
      })
      expect(isAlive(pid)).toBe(true)
      if (isStopped) process.kill(pid, 'SIGSTOP')
      parent.kill('SIGKILL')
      await expect.poll(() => isAlive(pid), { interval: 20 }).toBe(false)
    }
  })

  it('is not left behind by a parent that is killed while it is made', async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      // The parent is killed at once, and after each of the first milliseconds.
      const parent = startParent(
        `;(await import('node:fs')).writeSync(1, child.pid + '\\n')
         setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${attempt})`,
      )
      const pid = await new Promise<number>((resolve) => {
        parent.stdout?.once('data', (chunk: Buffer) => resolve(Number.parseInt(chunk.toString(), 10)))
      })
      await expect.poll(() => isAlive(pid), { interval: 5 }).toBe(false)
    }
  })

  it('is seen to end though somebody else holds its output open', async () => {
    const child = startChild({
      name: 'forgetful',
      command: '/bin/sh',
      args: ['-c', "setsid sh -c 'echo $$; exec sleep 60' & sleep 0.3; exit 4"],
    })
    const { code, lastLines } = await child.exited
    expect(code).toBe(4)
    const pid = Number(lastLines[0])
    expect(isAlive(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
  })

  it('that cannot be started ends with the reason', async () => {
    const child = startChild({ name: 'none', command: join(folder, 'no-such-program'), args: [] })
    const { code, lastLines } = await child.exited
    expect(code).toBe(127)
    expect(lastLines.join()).toMatch(/no-such-program.*not found/)
  })
})

describe('a supervised child', () => {
  const policy = { firstPauseMs: 1, longestPauseMs: 5, healthyAfterMs: 60_000, maxDeaths: 3 }
  const silent = createLog({ write: () => undefined })

  it('in Go that panics is given up with the reason, not with the last of the lines behind it', async () => {
    const { promise: givenUp, resolve } = Promise.withResolvers<Error>()
    const lines = [
      'panic: state.AppHash does not match',
      '',
      'goroutine 1 [running]:',
      ...Array.from({ length: 60 }, () => 'main.main()'),
    ]
    const options = {
      name: 'go',
      command: '/bin/sh',
      args: ['-c', `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} >&2; exit 2`],
    }
    keepRunning(options, policy, silent, resolve)
    const { message } = await givenUp
    expect(message).toBe('go died 3 times in a row; its last output was:\n  panic: state.AppHash does not match')
  })

  it('is started again, and given up with its last words', async () => {
    const started: string[] = []
    const { promise: givenUp, resolve } = Promise.withResolvers<Error>()
    const options = {
      name: 'frail',
      command: '/bin/sh',
      args: ['-c', 'echo no database; exit 7'],
      onLine: (line: string) => started.push(line),
    }
    keepRunning(options, policy, silent, resolve)
    expect((await givenUp).message).toBe('frail died 3 times in a row; its last output was:\n  no database')
    expect(started).toHaveLength(3)
  })

  it('is not started again once it was stopped', async () => {
    const { promise: ready, resolve } = Promise.withResolvers<string>()
    let starts = 0
    const onLine = (line: string): void => {
      if (line === 'ready') starts++
      resolve(line)
    }
    const options = { name: 'steady', command: '/bin/sh', args: ['-c', 'echo ready; exec sleep 60'], onLine }
    const supervised = keepRunning(options, policy, silent, () => undefined)
    await ready
    await supervised.stop()
    expect(supervised.pid()).toBeUndefined()
    expect(starts).toBe(1)
  })
})

describe('a sign of life', () => {
  const policy = { firstPauseMs: 1, longestPauseMs: 5, healthyAfterMs: 60_000, maxDeaths: 3 }
  const beats = `setInterval(() => process.send({ type: 'pulse' }), 20)`

  /** Runs a program of Node until it was started twice; says which process ids it had, and what the log said. */
  const untilRestarted = async (
    body: string,
    watchLife: SupervisedOptions['watchLife'],
    meanwhile: (pid: number) => void = () => undefined,
  ): Promise<string> => {
    const pids: number[] = []
    let log = ''
    const supervised = keepRunning(
      {
        name: 'hanging',
        command: process.execPath,
        args: ['-e', `console.log(process.pid); ${body}`],
        onLine: (line) => {
          pids.push(Number(line))
          if (pids.length === 1) meanwhile(Number(line))
        },
        onMessage: () => undefined,
        ...(watchLife === undefined ? {} : { watchLife }),
      },
      policy,
      createLog({ write: (line) => (log += line) }),
      () => undefined,
    )
    await expect.poll(() => pids.length).toBe(2)
    expect(isAlive(pids[0] ?? 0)).toBe(false)
    await supervised.stop()
    return log
  }

  it('that stays away ends a process that was stopped, and it is started again', async () => {
    const watch = watchPulse({ mostMissing: 10, busyIsAlive: true }, 20)
    const log = await untilRestarted(beats, watch, (pid) => {
      setTimeout(() => process.kill(pid, 'SIGSTOP'), 200)
    })
    expect(log).toContain('hanging gives no sign of life: it is ended')
  })

  it('that stays away ends an event loop that turns no more, where no work takes so long', async () => {
    const body = `${beats}; setTimeout(() => { for (;;); }, 200)`
    const log = await untilRestarted(body, watchPulse({ mostMissing: 10, busyIsAlive: false }, 20))
    expect(log).toContain('no pulse 10 times')
  })

  it('that stays away for long ends also a process that works, once it has beaten', async () => {
    const body = `${beats}; setTimeout(() => { for (;;); }, 200)`
    const log = await untilRestarted(body, watchPulse({ mostMissing: 1_000, busyIsAlive: true, mostBusy: 30 }, 20))
    expect(log).toContain('no pulse 30 times')
  })

  it('is that it works, for a process that may work for long', async () => {
    const onSilent: string[] = []
    const child = spawn(process.execPath, ['-e', 'for (;;);'])
    // Also of a test that fails: it would take a processor for ever.
    onTestFinished(() => void child.kill('SIGKILL'))
    const life = watchPulse({ mostMissing: 10, busyIsAlive: true }, 100)(child.pid ?? 0, (reason) =>
      onSilent.push(reason),
    )
    await sleep(2_000)
    expect(onSilent).toEqual([])
    child.kill('SIGSTOP')
    await expect.poll(() => onSilent).toHaveLength(1)
    life.stop()
  })

  it('is an answer over one connection, which nobody else can take away', async () => {
    const server = createHttpServer((_request, response) => response.end('{}'))
    server.maxConnections = 2
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const silent: string[] = []
    const watch = watchHealth({ url: `http://127.0.0.1:${port}/health`, mostFailures: 3, intervalMs: 20 })
    let connections = 0
    server.on('connection', () => connections++)
    const life = watch(0, (reason) => silent.push(reason))
    await expect.poll(() => connections).toBe(1)
    const others = Array.from({ length: 5 }, () => connect({ host: '127.0.0.1', port }))
    for (const other of others) other.on('error', () => undefined)
    await sleep(500)
    expect(silent).toEqual([])
    expect(connections).toBeLessThanOrEqual(2)
    for (const other of others) other.destroy()
    server.closeAllConnections()
    server.close()
    await expect.poll(() => silent).toHaveLength(1)
    life.stop()
  })
})

describe('a supervised CometBFT', () => {
  const options = (binary: string, more: { readonly signerSocket?: string } = {}) => {
    const lines: string[] = []
    const complaints: string[] = []
    return {
      lines,
      complaints,
      run: () =>
        runCometbft({
          binary,
          home: '/home/x',
          transport: 'grpc',
          proxyApp: '127.0.0.1:1',
          rpc: 'tcp://127.0.0.1:2',
          p2p: 'tcp://127.0.0.1:3',
          seeds: 'seed',
          persistentPeers: 'peer',
          ...more,
          log: createLog({ write: (line) => void complaints.push(line) }),
          onLine: (line) => void lines.push(line),
          onGivenUp: (error) => void complaints.push(error.message),
        }),
    }
  }

  it.each([
    ['plain', 'E[2026-01-01|00:00:00.000] CONSENSUS FAILURE!!!                         module=consensus err="x"'],
    ['JSON', '{"_msg":"CONSENSUS FAILURE!!!","err":"x","level":"error"}'],
  ])('is started again when its consensus stops and it lives on, seen in its %s log', async (format, line) => {
    const mark = join(folder, `stopped-${format}`)
    const body = `echo "$@"; [ -e ${mark} ] || { touch ${mark}; echo '${line}'; }; exec sleep 60`
    const { run, lines, complaints } = options(script(`comet-stops-${format}`, body))
    const comet = run()
    await expect.poll(() => lines).toHaveLength(3)
    const call =
      'start --home /home/x --abci grpc --proxy_app 127.0.0.1:1 --rpc.laddr tcp://127.0.0.1:2 --p2p.laddr tcp://127.0.0.1:3 --p2p.seeds seed --p2p.persistent_peers peer'
    expect(lines).toEqual([call, line, call])
    expect(complaints.join('')).toContain('the consensus of cometbft has stopped: cometbft is started again')
    await comet.stop()
  })

  it('is said to have died of what stopped its consensus, not of the last lines of its orderly end', async () => {
    const line = 'E[2026-01-01|00:00:00.000] CONSENSUS FAILURE!!!                         module=consensus err="wrong"'
    const body = `trap 'echo closing; exit 0' TERM; echo '${line}'; sleep 60 & wait`
    const { run, complaints } = options(script('comet-says-why', body))
    const comet = run()
    await expect.poll(() => complaints.find((each) => each.includes('exited with status 0'))).toContain('err=\\"wrong')
    await comet.stop()
  })

  it('finds no socket of a signer that a killed one left behind, at any start, and one that is used as it is', async () => {
    const socket = join(folder, 'signer.sock')
    const body = `[ -e ${socket} ] && echo there || echo free; exec sleep 60`
    const { run, lines } = options(script('comet-signer', body), { signerSocket: socket })
    // A process that is killed leaves its socket file behind.
    const leave = async (): Promise<void> => {
      const program = `require('node:net').createServer().listen('${socket}', () => process.kill(process.pid, 'SIGKILL'))`
      await promisify(execFile)(process.execPath, ['-e', program]).catch(() => undefined)
      expect(existsSync(socket)).toBe(true)
    }
    await leave()
    const comet = run()
    await expect.poll(() => lines).toEqual(['free'])
    await leave()
    await comet.restart()
    await expect.poll(() => lines).toEqual(['free', 'free'])
    const server = createServer().listen(socket)
    await once(server, 'listening')
    await comet.restart()
    await expect.poll(() => lines).toEqual(['free', 'free', 'there'])
    server.close()
    await comet.stop()
  })

  it('is left alone when a peer sends those words', async () => {
    const forged = [
      'I[2026-01-01|00:00:00.000] added peer module=p2p moniker="E[1] CONSENSUS FAILURE!!!"',
      '{"_msg":"added peer","moniker":"\\"_msg\\":\\"CONSENSUS FAILURE!!!\\""}',
    ]
    const body = `${forged.map((line) => `printf '%s\\n' '${line}'`).join('\n')}\necho end; exec sleep 60`
    const { run, lines, complaints } = options(script('comet-forged', body))
    const comet = run()
    await expect.poll(() => lines.at(-1)).toBe('end')
    expect(lines).toEqual([...forged, 'end'])
    expect(complaints).toEqual([])
    await comet.stop()
  })
})

describe('the launcher', () => {
  it('runs from any folder', async () => {
    const chain = join(import.meta.dirname, '..', '..', '..', 'chain')
    const { stdout } = await promisify(execFile)(chain, ['version'], { cwd: folder })
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('the heap of the application', () => {
  it('may take half of the memory, between 1 and 4 GiB, unless the operator says otherwise', () => {
    const gibibyte = 1024 ** 3
    expect([1, 4, 64].map((size) => heapLimitFlags(size * gibibyte, ''))).toEqual([
      ['--max-old-space-size=1024'],
      ['--max-old-space-size=2048'],
      ['--max-old-space-size=4096'],
    ])
    expect(heapLimitFlags(gibibyte, '--max-old-space-size=9000')).toEqual([])
  })
})
