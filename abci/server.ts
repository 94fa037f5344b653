/** What the servers of both transports have in common. */
import type { CodedError } from '../core/errors.ts'
import type { RecordedCall } from './call-log.ts'
import type { Socket } from 'node:net'
import type { ConsensusGate } from './consensus-gate.ts'
import type { AbciHandlers } from './handlers.ts'
import type { AbciLog } from './log.ts'

/** A peer whose machine has gone without a word is found out after 5 s and ten questions, a second apart. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelay: 5_000 } as const

/** One CometBFT opens four connections; a restarted one four more while the old ones end. */
export const MAX_CONNECTIONS = 64

export interface AbciServerOptions {
  readonly address: string
  readonly handlers: AbciHandlers
  readonly log: AbciLog
  /** Largest request; MAX_FRAME_BYTES when left out. */
  readonly maxFrameBytes?: number
  /** Told of every consensus and snapshot call. */
  readonly callLog?: (call: RecordedCall) => void
  /** A connection makes its first consensus call: CometBFT was started. Called before it is answered. */
  readonly onConsensusConnection?: () => void
  /** The application broke an invariant: the process must stop. Called once, after the answer was written. */
  readonly onFatal: (error: unknown) => void
  /** The peer sent what is not ABCI. */
  readonly onProtocolError?: (error: CodedError) => void
}

export interface AbciServer {
  /** The address that was given, with the port that was bound: what CometBFT's `--proxy_app` names. */
  readonly address: string
  /** Listens anew where it did: somebody has removed the file of its socket. Connections stay. */
  listenAgain(): void
  /** Stops listening, ends the connections, and settles when no call runs in the application. */
  close(): Promise<void>
}

/** Consensus has one peer: while it is connected nobody else is. True for a connection that was refused. */
export const refusesStranger = (gate: ConsensusGate, socket: Socket, log: AbciLog): boolean => {
  if (gate.admits(socket.remoteAddress)) return false
  log.warn(`abci connection of ${socket.remoteAddress} refused: another peer makes the consensus calls`)
  socket.destroy()
  return true
}
