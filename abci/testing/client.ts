/** A client of ABCI's socket protocol, for tests: as CometBFT's, it writes requests and reads answers in order. */
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { abci } from '../../proto/index.ts'
import { createFrameDecoder, encodeFrame } from '../frames.ts'

export const encodeRequest = (value: abci.Request['value']): Uint8Array =>
  encodeFrame(toBinary(abci.RequestSchema, create(abci.RequestSchema, { value })))

export const flushRequest = encodeRequest({ case: 'flush', value: create(abci.RequestFlushSchema) })
export const infoRequest = encodeRequest({ case: 'info', value: create(abci.RequestInfoSchema) })
export const commitRequest = encodeRequest({ case: 'commit', value: create(abci.RequestCommitSchema) })
export const echoRequest = (message: string): Uint8Array =>
  encodeRequest({ case: 'echo', value: create(abci.RequestEchoSchema, { message }) })
export const checkTxRequest = (tx: Uint8Array): Uint8Array =>
  encodeRequest({ case: 'checkTx', value: create(abci.RequestCheckTxSchema, { tx }) })

export interface AbciClient {
  readonly socket: Socket
  write(bytes: Uint8Array): void
  /** The next `count` answers; fewer when the connection ends before. */
  read(count: number): Promise<abci.Response[]>
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>
}

export const connectClient = async (address: string): Promise<AbciClient> => {
  const [, path, host, port] = /^(?:unix:\/\/(.+)|tcp:\/\/(.+):(\d+))$/.exec(address) ?? []
  const socket = path === undefined ? connect(Number(port), host) : connect(path)
  await once(socket, 'connect')
  const decoder = createFrameDecoder()
  const answers: abci.Response[] = []
  let ended = false
  let wake = (): void => {}
  socket.on('data', (chunk) => {
    for (const frame of decoder.push(chunk)) answers.push(fromBinary(abci.ResponseSchema, frame))
    wake()
  })
  // Resets are what a refused peer sees.
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      ended = true
      wake()
      resolve()
    })
  })
  return {
    socket,
    closed,
    write: (bytes) => void socket.write(bytes),
    async read(count) {
      while (answers.length < count && !ended) await new Promise<void>((resolve) => (wake = resolve))
      return answers.splice(0, count)
    },
  }
}
