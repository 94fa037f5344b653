// Health of a service: exit status 0 when the URL answers with 2xx, or when the tcp address takes a connection.
import { connect } from 'node:net'

const TIMEOUT_MS = 4_000
const url = new URL(process.argv[2] ?? '')

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

const healthy = await (url.protocol === 'tcp:' ? listens() : answers()).catch(() => false)
process.exitCode = healthy ? 0 : 1
