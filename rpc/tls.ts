/** TLS of the servers of a gateway: one certificate for all of them, which may be renewed while they run. */
import { constants } from 'node:crypto'
import type { Server, Socket } from 'node:net'
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls'
import type { FindOwner } from './connection-shares.ts'
import type { Floods } from './floods.ts'
import { Handshakes } from './handshakes.ts'
import { TlsCarrier } from './tls-carrier.ts'
import type { Turns } from './turns.ts'

export interface TlsIdentity {
  /** The certificate in PEM, with those up to its root behind it. */
  readonly certificate: string
  readonly key: string
}

export interface TlsSource {
  current(): TlsIdentity
  /** Calls `listener` with each renewed one. Returns how to stop. */
  onRenewal(listener: (identity: TlsIdentity) => void): () => void
}

/**
 * What every client of today has one of. Node's own list has others that cost this side six times as much: 8 ms for P-521, which a client
 * that sends what it once recorded has for nothing.
 */
const KEY_EXCHANGES = 'X25519MLKEM768:X25519:P-256'

/** What OpenSSL is given. TLS 1.0 and 1.1 are deprecated (RFC 8996), and nobody renegotiates (RFC 9113, section 9.2.1). */
export const secureContext = ({ certificate, key }: TlsIdentity): SecureContextOptions => ({
  cert: certificate,
  key,
  minVersion: 'TLSv1.2',
  ecdhCurve: KEY_EXCHANGES,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
})

/** A client that begins a handshake has this long to end it. */
const HANDSHAKE_TIMEOUT_MS = 10_000

export interface SecurityOptions {
  readonly source: TlsSource
  readonly turns: Turns
  /** What is spoken over TLS (ALPN, RFC 7301). */
  readonly protocols: readonly string[]
  /** Takes note of clients that begin handshakes without end, or send records that hold nothing. */
  readonly floods: Floods
  /** Whose share a connection is; left out, its address tells. */
  readonly ownerOf?: FindOwner | undefined
}

export interface Security {
  /** Speaks TLS over a socket, and calls `take` with what is read of it when the handshake has ended. */
  begin(socket: Socket, take: (secure: TLSSocket) => void): void
  /** Takes note of the first that is asked over a connection. */
  readonly asked: (remoteAddress: string | undefined) => void
  /** Takes note of a request that was refused before all of it had come: its connection is worth nothing more. */
  readonly refused: (remoteAddress: string | undefined) => void
}

/** Connections that are open keep the certificate that they began with. `server` is whose end ends the renewals. */
export const createSecurity = (server: Server, options: SecurityOptions): Security => {
  const { source, turns, protocols, floods } = options
  const handshakes = new Handshakes(floods, options.ownerOf)
  let context = createSecureContext(secureContext(source.current()))
  const stop = source.onRenewal((identity) => {
    context = createSecureContext(secureContext(identity))
  })
  server.once('close', stop)
  return {
    asked: (remoteAddress) => handshakes.asked(remoteAddress),
    refused: (remoteAddress) => handshakes.refused(remoteAddress),
    begin(socket, take) {
      const onEnd = handshakes.begin(socket)
      if (onEnd === undefined) return void socket.destroy()
      const { remoteAddress } = socket
      const carrier = new TlsCarrier(socket, {
        turns,
        contents: () => secure,
        onFlood: () => floods.note(remoteAddress),
      })
      const secure = new TLSSocket(carrier, { isServer: true, secureContext: context, ALPNProtocols: [...protocols] })
      // A carrier has no address of its own.
      Object.defineProperty(secure, 'remoteAddress', { value: remoteAddress })
      const end = (): void => void socket.destroy()
      const timeout = setTimeout(end, HANDSHAKE_TIMEOUT_MS)
      socket.once('close', () => {
        clearTimeout(timeout)
        onEnd()
        secure.destroy()
      })
      secure.on('error', end).on('_tlsError', end)
      secure.once('secure', () => {
        clearTimeout(timeout)
        onEnd()
        // As Node's own server does before it hands a socket on: HTTP/2 waits for it.
        Object.assign(secure, { secureConnecting: false })
        take(secure)
      })
    },
  }
}
