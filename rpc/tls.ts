/** TLS of the servers of a gateway: one certificate for all of them, which may be renewed while they run. */
import type { SecureContextOptions, Server } from 'node:tls'

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

/** What the servers of Node take. TLS 1.0 and 1.1 are deprecated (RFC 8996). */
export const secureContext = ({ certificate, key }: TlsIdentity): SecureContextOptions => ({
  cert: certificate,
  key,
  minVersion: 'TLSv1.2',
})

/** A client that begins a handshake has this long to end it. */
export const HANDSHAKE_TIMEOUT_MS = 10_000

/** Connections that are open keep the certificate that they began with. */
export const renewWith = (server: Server, source: TlsSource): void => {
  const stop = source.onRenewal((identity) => server.setSecureContext(secureContext(identity)))
  server.once('close', stop)
}
