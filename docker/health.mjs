// Health of a service: exit status 0 when the URL answers with 2xx, or when the tcp address takes a connection.
//
// Docker restarts what ends, and not what hangs. With --end-after=N the service's process is killed after N failures in a row, and
// then "restart: unless-stopped" does the rest. It is the child of process 1, which is Docker's own with "init: true": the kernel
// lets nobody in the container kill process 1 itself. Outside of the image nothing is ever killed. One that has never been healthy is left alone: it may be catching up.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const TIMEOUT_MS = 4_000
const [address = '', ...flags] = process.argv.slice(2)
const url = new URL(address)
const valueOf = (name, fallback) =>
  Number(flags.find((flag) => flag.startsWith(`--${name}=`))?.split('=')[1] ?? fallback)
/** The image says that it is one: elsewhere process 1 has children that are none of ours. */
const isContainer = process.env.NAT_CHAIN_CONTAINER === '1'
const endAfter = isContainer ? valueOf('end-after', 0) : 0
const first = valueOf('first-process', 1)
const record = join(tmpdir(), `health-${first}`)

const answers = async () => (await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })).ok

const listens = () =>
  new Promise((resolve) => {
    const socket = connect({ host: url.hostname, port: Number(url.port), timeout: TIMEOUT_MS })
    const settle = (isListening) => () => {
      socket.destroy()
      resolve(isListening)
    }
    socket.once('connect', settle(true)).once('error', settle(false)).once('timeout', settle(false))
  })

/** Of the first process, without this one. */
const children = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'utf8')
        return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]) === first
      } catch {
        return false
      }
    })
    .map(Number)

const judge = (isHealthy) => {
  if (endAfter === 0) return undefined
  if (isHealthy) return writeFileSync(record, '0')
  if (!existsSync(record)) return undefined
  const failures = Number(readFileSync(record, 'utf8')) + 1
  if (failures < endAfter) return writeFileSync(record, String(failures))
  rmSync(record)
  for (const pid of children()) process.kill(pid, 'SIGKILL')
  return undefined
}

const isHealthy = await (url.protocol === 'tcp:' ? listens() : answers()).catch(() => false)
judge(isHealthy)
process.exitCode = isHealthy ? 0 : 1
