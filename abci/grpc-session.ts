/** One HTTP/2 connection of CometBFT's gRPC client: the consensus calls of all sessions run one after another. */
import type { Socket } from 'node:net'
import { fromBinary, toBinary, type DescMethod } from '@bufbuild/protobuf'
import { plainBytes } from '../core/bytes.ts'
import { errorText } from '../core/errors.ts'
import { encodeFinalizeBlock, READ_OPTIONS, WRITE_OPTIONS } from './codec.ts'
import type { ConsensusGate, GateMember } from './consensus-gate.ts'
import { protocolError } from './errors.ts'
import type { AbciHandlers, AbciMethod, FinalizeBlockAnswer } from './handlers.ts'
import type { AbciLog } from './log.ts'
import { encodeBounded } from './reply-limits.ts'

export interface GrpcSession extends GateMember {
  readonly name: string
  isClosed(): boolean
  close(): void
}

const openSession = (socket: Socket, name: string, gate: ConsensusGate): GrpcSession => {
  let closed = false
  const session: GrpcSession = {
    name,
    peer: socket.remoteAddress,
    isClosed: () => closed,
    close: () => {
      if (closed) return
      closed = true
      gate.leave(session)
      socket.destroy()
    },
  }
  return session
}

export interface GrpcSessions {
  /** The session of a call: `peer` is what grpc-js calls the other end. */
  find(peer: string): GrpcSession | undefined
  accept(socket: Socket): void
  closeAll(): void
}

/** `serve` is given each connection once it has a session. */
export const createSessions = (gate: ConsensusGate, log: AbciLog, serve: (socket: Socket) => void): GrpcSessions => {
  const sessions = new Map<string, GrpcSession>()
  let accepted = 0
  return {
    find: (peer) => sessions.get(peer),
    accept: (socket) => {
      const name = `#${++accepted}`
      const session = openSession(socket, name, gate)
      // What grpc-js calls the peer: a unix socket has no address of its own to tell sessions apart by.
      Object.defineProperties(socket, { remoteAddress: { value: name }, remotePort: { value: undefined } })
      sessions.set(name, session)
      socket.on('error', (error) => {
        if (!session.isClosed()) log.warn(`abci session ${name}: ${error.message}`)
      })
      socket.once('close', () => {
        if (!session.isClosed()) log.info(`abci session ${name} ended`)
        session.close()
        sessions.delete(name)
      })
      serve(socket)
    },
    closeAll: () => {
      for (const session of sessions.values()) session.close()
    },
  }
}

export interface AnswerContext {
  readonly handlers: AbciHandlers
  readonly gate: ConsensusGate
  readonly log: AbciLog
  isHalted(): boolean
}

const unavailable = (): Error => protocolError('unavailable', 'the application takes no calls of this connection')

const decode = (method: DescMethod, bytes: Uint8Array): unknown => {
  try {
    return fromBinary(method.input, bytes, READ_OPTIONS)
  } catch (error) {
    throw protocolError('undecodable', `${bytes.length} bytes are no request of ${method.name}: ${errorText(error)}`)
  }
}

/**
 * Answers one call. Throws a protocol error for what the peer did wrong, and when the session was closed meanwhile;
 * anything else thrown is the application's own.
 */
export const answerCall = async (
  context: AnswerContext,
  session: GrpcSession,
  method: DescMethod,
  bytes: Uint8Array,
): Promise<Uint8Array> => {
  const { gate, log } = context
  const name = method.localName as AbciMethod
  // Plain, for the bytes go into the application: Buffer.slice does not copy.
  const request = decode(method, plainBytes(bytes))
  const requireActive = (): void => {
    if (session.isClosed() || context.isHalted()) throw unavailable()
  }
  requireActive()
  // A session may carry calls side by side: each looks again, for another one may have begun when it wakes.
  for (let wait = gate.enter(session, name); wait !== undefined; wait = gate.enter(session, name)) {
    await wait
    requireActive()
  }
  const handler = context.handlers[name] as (request: unknown) => unknown
  const answer = handler(request)
  if (answer instanceof Promise) gate.hold(name, answer)
  const response = await answer
  const encode = (value: unknown): Uint8Array =>
    name === 'finalizeBlock'
      ? encodeFinalizeBlock(value as FinalizeBlockAnswer)
      : toBinary(method.output, value as never, WRITE_OPTIONS)
  return encodeBounded(name, response, encode, log)
}
