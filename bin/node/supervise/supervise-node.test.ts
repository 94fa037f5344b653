/** What the supervisor makes of the ways in which an application ends; with real nodes in test/e2e/kills.test.ts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createLog } from '../runtime/log.ts'
import { superviseNode } from './supervise-node.ts'

const folder = mkdtempSync(join(tmpdir(), 'supervise-node-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Outcome {
  readonly status: number
  /** Arguments of each start of the application. */
  readonly starts: readonly (readonly string[])[]
  readonly output: string
}

let count = 0

/** Runs an application of these lines; `start` counts from 0, `plan` says that its settings are sound. */
const supervise = async (body: string): Promise<Outcome> => {
  const [script, record] = ['mjs', 'jsonl'].map((ending) => join(folder, `${++count}.${ending}`)) as [string, string]
  writeFileSync(record, '')
  writeFileSync(
    script,
    `
import { appendFileSync, readFileSync } from 'node:fs'
const start = readFileSync(${JSON.stringify(record)}, 'utf8').split('\\n').length - 1
appendFileSync(${JSON.stringify(record)}, JSON.stringify(process.argv.slice(2)) + '\\n')
const plan = () => new Promise((resolve) => process.send({ type: 'planned' }, resolve))
${body}`,
  )
  let output = ''
  const status = await superviseNode({
    args: ['--home', '/x'],
    script,
    log: createLog({ write: (line) => (output += line) }),
    onLine: (part, line) => (output += `${part}: ${line}\n`),
  })
  const starts = readFileSync(record, 'utf8').trim().split('\n')
  return { status, output, starts: starts.map((line) => JSON.parse(line) as string[]) }
}

const FIRST = ['application', '--home', '/x']
const LATER = ['application', '--restarted', '--home', '/x']

describe('an application', () => {
  it('that says that its end is final is not started again, and ends the node with status 1', async () => {
    const { status, starts, output } = await supervise(`
await plan()
console.error('Error: invariant broken: the sum of all balances')
process.exit(70)`)
    expect({ status, starts }).toEqual({ status: 1, starts: [FIRST] })
    expect(output).toBe('application: Error: invariant broken: the sum of all balances\n')
  })

  it.each([0, 1, 2])('that ends with status %i before its settings are read gives it to the node', async (code) => {
    expect(await supervise(`process.exitCode = ${code}`)).toMatchObject({ status: code, starts: [FIRST] })
  })

  it.each([
    ['is killed', `process.kill(process.pid, 'SIGKILL')`, 'was ended by SIGKILL'],
    ['throws', `throw new RangeError('of no rule')`, 'exited with status 1'],
    ['has no memory left', `process.abort()`, 'was ended by SIGABRT'],
  ])('that %s is started again', async (_, crash, said) => {
    const { status, starts, output } = await supervise(`
await plan()
if (start < 2) {
  ${crash}
}
process.exit(0)`)
    expect({ status, starts }).toEqual({ status: 0, starts: [FIRST, LATER, LATER] })
    expect(output).toContain(`application ${said} deaths=2`)
  })

  it('that may not be started again after a crash ends the node', async () => {
    const { status, starts } = await supervise(`
await plan()
if (start === 1) process.exit(70)
process.kill(process.pid, 'SIGKILL')`)
    expect({ status, starts }).toEqual({ status: 1, starts: [FIRST, LATER] })
  })

  it('that dies again and again is given up', async () => {
    const { status, starts } = await supervise(`
await plan()
process.kill(process.pid, 'SIGKILL')`)
    expect(status).toBe(1)
    expect(starts).toHaveLength(5)
  })

  it('that fails while the others still end gives its status to the node', async () => {
    const binary = join(folder, 'slow-cometbft')
    writeFileSync(binary, "#!/bin/sh\ntrap 'sleep 0.3; exit 0' TERM\necho begun\nwhile :; do sleep 0.02; done\n", {
      mode: 0o755,
    })
    const cometbft = { binary, home: folder, transport: 'socket', rpc: 'tcp://127.0.0.1:1', p2p: 'tcp://127.0.0.1:2' }
    const { status, output } = await supervise(`
const say = (message) => new Promise((resolve) => process.send(message, resolve))
await say({ type: 'planned', cometbft: ${JSON.stringify({ ...cometbft, seeds: '', persistentPeers: '' })} })
await say({ type: 'listening', proxyApp: 'unix:///x' })
await new Promise((resolve) => setTimeout(resolve, 200))
await say({ type: 'stopping' })
console.error('Error: a daemon is unhealthy')
process.exit(1)`)
    expect(output).toContain('cometbft: begun')
    expect(output).toContain('Error: a daemon is unhealthy')
    expect(status).toBe(1)
  })

  it('that wants to end is told to once the others have ended', async () => {
    const { status, output, starts } = await supervise(`
process.on('message', ({ type }) => {
  console.log('told to ' + type)
  process.exit(0)
})
await plan()
process.on('SIGTERM', () => undefined)
process.send({ type: 'stopping' })`)
    expect({ status, starts }).toEqual({ status: 0, starts: [FIRST] })
    expect(output).toContain('application: told to stop')
  })
})
