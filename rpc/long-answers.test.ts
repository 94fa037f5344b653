/** Long answers go from a process that knows them to clients as bytes: what arrives is what a short one's way would bring. */
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { once } from 'node:events'
import { type Gateway, startGateway } from './gateway.ts'
import { SILENT_LOG } from './log.ts'
import { GATEWAY_DEFAULTS } from './settings.ts'
import { connectApplication } from './stream/connect-application.ts'
import { serveQueries } from './stream/serve-queries.ts'
import { createMemoryApplication } from './testing/memory-application.ts'

/** Characters of one, two and four bytes, above the length of a short answer. */
const RESULT = `"${'x'.repeat(150_000)}é\u{1f600}${'\u{1f600}é'.repeat(20_000)}"`
const CALL = { jsonrpc: '2.0', id: 'a"b', method: 'eth_getBlockByNumber', params: ['0x5', true] }
const REPLY = `{"jsonrpc":"2.0","id":"a\\"b","result":${RESULT}}`

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const end of open.splice(0).reverse()) await end.close()
})

const start = async (): Promise<Gateway> => {
  const application = createMemoryApplication()
  // The answer is text, as the application has it from a worker.
  application.askText = () => Promise.resolve(Buffer.from(RESULT, 'utf8'))
  const server = await serveQueries({ address: 'tcp://127.0.0.1:0', application })
  open.push(server)
  const remote = connectApplication({ address: server.address })
  open.push(remote)
  await remote.whenConnected()
  const addresses = { address: '127.0.0.1:0', wsAddress: '127.0.0.1:0', restAddress: undefined, grpcAddress: undefined }
  const gateway = await startGateway({ ...GATEWAY_DEFAULTS, ...addresses }, remote, SILENT_LOG)
  open.push(gateway)
  return gateway
}

const post = async (
  gateway: Gateway,
  body: unknown,
): Promise<{ readonly text: string; readonly length: string | null }> => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`http://${gateway.address}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(answer.headers.get('content-length')).toBe(String(bytes.length))
  return { text: bytes.toString('utf8'), length: answer.headers.get('transfer-encoding') }
}

test('over HTTP, alone and in a batch', async () => {
  const gateway = await start()
  expect(await post(gateway, CALL)).toEqual({ text: `${REPLY}\n`, length: null })
  expect(await post(gateway, [CALL, CALL])).toEqual({ text: `[${REPLY},${REPLY}]\n`, length: null })
})

test('over WebSocket, as a message of text', async () => {
  const gateway = await start()
  const socket = new WebSocket(`ws://${gateway.wsAddress}`)
  await once(socket, 'open')
  for (const [sent, expected] of [
    [CALL, `${REPLY}\n`],
    [[CALL], `[${REPLY}]\n`],
  ]) {
    const message = once(socket, 'message')
    socket.send(JSON.stringify(sent))
    const [data, isBinary] = (await message) as [Buffer, boolean]
    expect(isBinary).toBe(false)
    expect(data.toString('utf8')).toBe(expected)
  }
  socket.terminate()
})
