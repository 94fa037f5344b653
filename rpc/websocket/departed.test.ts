/** A client that has gone: what it sent is sent, and nobody asks the rest for it. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import WebSocket from 'ws'
import { startGateway, type Gateway } from '../gateway.ts'
import { SILENT_LOG } from '../log.ts'
import { GATEWAY_DEFAULTS } from '../settings.ts'
import { createMemoryApplication, type MemoryApplication } from '../testing/memory-application.ts'

const QUESTIONS = 400

let application: MemoryApplication
let gateway: Gateway

beforeEach(async () => {
  application = createMemoryApplication()
  const ports = { grpcAddress: undefined, address: undefined, restAddress: undefined, wsAddress: '127.0.0.1:0' }
  gateway = await startGateway({ ...GATEWAY_DEFAULTS, ...ports }, application, SILENT_LOG)
})
afterEach(() => gateway.close())

const textOf = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

test('of what was not read when it went only the transactions are asked', async () => {
  const sent = Promise.withResolvers<void>()
  let questions = 0
  application.answers.balance = () => {
    questions++
    return '"0x1"'
  }
  application.answers.sendRawTransaction = () => {
    sent.resolve()
    return '"0x2"'
  }
  const socket = new WebSocket(`ws://${gateway.wsAddress}/`)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const question = textOf('eth_getBalance', [`0x${'aa'.repeat(20)}`, 'latest'])
  for (let count = 0; count < QUESTIONS; count++) socket.send(question)
  const written = new Promise((resolve) => socket.send(textOf('eth_sendRawTransaction', ['0x02']), resolve))
  await written
  socket.terminate()
  await sent.promise
  expect(questions).toBeLessThan(QUESTIONS / 2)
})
