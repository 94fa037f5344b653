/** Measures CheckTx through the socket with a client in the same process: `node abci/testing/check-tx-bench.ts`. */
import { concatBytes } from '../../core/bytes.ts'
import { createHandlers } from '../handlers.ts'
import { serveAbciSocket } from '../socket-server.ts'
import { checkTxRequest, connectClient, flushRequest } from './client.ts'
import { createMemoryApplication } from './memory-application.ts'

const TRANSACTIONS = 200_000
const TRANSACTION_BYTES = 110
const BATCH = 100

const measure = async (address: string, name: string, unit: Uint8Array, answersEach: number): Promise<void> => {
  const client = await connectClient(address)
  const batch = concatBytes(...Array.from({ length: BATCH }, () => unit))
  const start = performance.now()
  for (let sent = 0; sent < TRANSACTIONS; sent += BATCH) client.write(batch)
  await client.read(TRANSACTIONS * answersEach)
  const seconds = (performance.now() - start) / 1_000
  console.log(`${name}: ${Math.round(TRANSACTIONS / seconds)} CheckTx/s`)
  client.socket.destroy()
}

const server = await serveAbciSocket({
  address: 'tcp://127.0.0.1:0',
  handlers: createHandlers(createMemoryApplication()),
  log: { info: () => {}, warn: console.warn, error: console.error },
  onFatal: console.error,
})
const transaction = checkTxRequest(new Uint8Array(TRANSACTION_BYTES).fill(7))
for (let round = 0; round < 3; round++) {
  await measure(server.address, 'pipelined', transaction, 1)
  await measure(server.address, 'with a Flush after each', concatBytes(transaction, flushRequest), 2)
}
await server.close()
