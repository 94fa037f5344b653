/** ABCI over gRPC, CometBFT's `--abci grpc`: the service tendermint.abci.ABCI over the same handlers. */
import { createServer } from 'node:net'
import { type DescMethod } from '@bufbuild/protobuf'
import {
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { isOutOfOrder } from '../app/ports.ts'
import { viewBuffer } from '../core/bytes.ts'
import { errorText } from '../core/errors.ts'
import type { Endpoint } from '../core/host-port.ts'
import { abci } from '../proto/index.ts'
import { recordCalls } from './call-log.ts'
import { createConsensusGate } from './consensus-gate.ts'
import { boundAddress, listenAgain, listenAt, requireEndpoint } from './endpoint.ts'
import { ABCI_CODES, isProtocolError } from './errors.ts'
import { MAX_FRAME_BYTES } from './frames.ts'
import { answerCall, type AnswerContext, createSessions } from './grpc-session.ts'
import { boundProposals } from './reply-limits.ts'
import { type AbciServer, type AbciServerOptions, KEEP_ALIVE, MAX_CONNECTIONS, refusesStranger } from './server.ts'

/** Calls of one session at once. CometBFT's client waits when there are more. */
const MAX_STREAMS = 1_000
/** HTTP/2's window: a block of 8 MB arrives in a few round trips, not in a hundred. */
const WINDOW_BYTES = 4 * 1024 * 1024

type Answer = (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => Promise<void>

const passThrough = (bytes: Buffer): Buffer => bytes

const defineMethod = (method: DescMethod): ServiceDefinition[string] => ({
  path: `/${abci.ABCI.typeName}/${method.name}`,
  requestStream: false,
  responseStream: false,
  requestSerialize: passThrough,
  requestDeserialize: passThrough,
  responseSerialize: passThrough,
  responseDeserialize: passThrough,
})

const createService = (answer: (method: DescMethod) => Answer): [ServiceDefinition, UntypedServiceImplementation] => {
  const { methods } = abci.ABCI
  return [
    Object.fromEntries(methods.map((method) => [method.name, defineMethod(method)])),
    Object.fromEntries(methods.map((method) => [method.name, answer(method)])),
  ]
}

/** Both transports take `tcp://host:port` and `unix:///path`; CometBFT names a gRPC server without the scheme tcp. */
const parseGrpcAddress = (address: string): { readonly endpoint: Endpoint; readonly proxyApp: string } => {
  const withScheme = /^[a-z]+:\/\//.test(address) ? address : `tcp://${address}`
  return { endpoint: requireEndpoint(withScheme), proxyApp: withScheme.replace(/^tcp:\/\//, '') }
}

/** Answers errors: those of the peer and of its order with a status, all others end the application. */
const createFailure = (options: AbciServerOptions, halt: (error: unknown) => void) => {
  const { log } = options
  return (error: unknown, session: string, method: string): { readonly code: number; readonly details: string } => {
    const details = errorText(error).toWellFormed()
    if (isProtocolError(error)) {
      if (error.code === ABCI_CODES.unavailable) return { code: status.UNAVAILABLE, details }
      log.warn(`abci session ${session}: ${details} (${error.codespace}/${error.code})`)
      options.onProtocolError?.(error)
      return { code: status.INVALID_ARGUMENT, details }
    }
    if (isOutOfOrder(error)) {
      log.error(`abci session ${session}: ${method} refused: ${details}`)
      return { code: status.FAILED_PRECONDITION, details }
    }
    const reason = error instanceof Error ? (error.stack ?? details) : details
    log.error(`the application failed in ${method} of abci session ${session}: ${reason}`)
    halt(error)
    return { code: status.INTERNAL, details }
  }
}

/**
 * Listens and answers. `address` may leave the scheme tcp:// out. Throws abci/11 for a malformed address and abci/12
 * when it is in use.
 */
export const serveAbciGrpc = async (options: AbciServerOptions): Promise<AbciServer> => {
  const { endpoint, proxyApp } = parseGrpcAddress(options.address)
  const { log, callLog } = options
  const bounded = boundProposals(options.handlers)
  const gate = createConsensusGate(options.onConsensusConnection ?? (() => undefined))
  let halted = false
  const context: AnswerContext = {
    handlers: callLog === undefined ? bounded : recordCalls(bounded, callLog),
    gate,
    log,
    isHalted: () => halted,
  }
  const halt = (error: unknown): void => {
    if (halted) return
    halted = true
    // The answer leaves first: CometBFT says in its log why it stops.
    setImmediate(() => options.onFatal(error))
  }
  const describeFailure = createFailure(options, halt)

  const answer =
    (method: DescMethod): Answer =>
    async (call, callback) => {
      const session = sessions.find(call.getPeer())
      if (session === undefined) {
        callback({ code: status.UNAVAILABLE, details: 'the connection has ended' })
        return
      }
      try {
        callback(null, viewBuffer(await answerCall(context, session, method, call.request)))
      } catch (error) {
        callback(describeFailure(error, session.name, method.name))
      }
    }

  const grpc = new Server({
    'grpc.max_receive_message_length': options.maxFrameBytes ?? MAX_FRAME_BYTES,
    'grpc.max_concurrent_streams': MAX_STREAMS,
    'grpc-node.flow_control_window': WINDOW_BYTES,
    'grpc.enable_channelz': 0,
  })
  grpc.addService(...createService(answer))
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure())
  const sessions = createSessions(gate, log, (socket) => injector.injectConnection(socket))

  const server = createServer({ noDelay: true, ...KEEP_ALIVE }, (socket) => {
    if (!refusesStranger(gate, socket, log)) sessions.accept(socket)
  })
  server.maxConnections = MAX_CONNECTIONS
  await listenAt(server, endpoint)
  server.on('error', (error) => log.error(`abci server: ${error.message}`))
  const address = boundAddress(server, proxyApp)
  log.info(`abci server listening on ${address} (gRPC)`)

  return {
    address,
    listenAgain: () => listenAgain(server, endpoint),
    async close() {
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
      sessions.closeAll()
      await gate.idle()
      grpc.forceShutdown()
      await stopped
    },
  }
}
