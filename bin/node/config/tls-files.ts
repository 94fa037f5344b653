/** The certificate and the key that app.toml names, judged before a server uses them, and read again when they are renewed. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { secureContext, type TlsIdentity, type TlsSource } from '../../../rpc/tls.ts'
import { cliError, errorText } from '../../errors.ts'
import type { NodeLog } from '../runtime/log.ts'
import type { Settings } from './settings.ts'

/** The time between two looks at the files, which are written anew when a certificate is renewed. */
const LOOK_INTERVAL_MS = 30_000

const CERTIFICATE = 'tls.certificate-path'
const KEY = 'tls.key-path'

export interface TlsFiles {
  readonly certificatePath: string
  readonly keyPath: string
}

/** Returns undefined where TLS is off. Throws cli/4 where one of the two is missing. */
export const tlsFilesOf = (settings: Pick<Settings, typeof CERTIFICATE | typeof KEY>): TlsFiles | undefined => {
  const certificatePath = settings['tls.certificate-path']
  const keyPath = settings['tls.key-path']
  if (certificatePath === '' && keyPath === '') return undefined
  if (certificatePath !== '' && keyPath !== '') return { certificatePath, keyPath }
  const [missing, given] = certificatePath === '' ? [CERTIFICATE, KEY] : [KEY, CERTIFICATE]
  throw cliError('settings', `${missing} is empty, but ${given} is set: TLS needs both, and none turns it off`)
}

const read = (path: string, key: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw cliError('settings', `${key}: ${path} cannot be read: ${errorText(error)}`)
  }
}

const parse = <T>(path: string, key: string, what: string, make: () => T): T => {
  try {
    return make()
  } catch (error) {
    throw cliError('settings', `${key}: ${path} holds no ${what} in PEM: ${errorText(error)}`)
  }
}

/** OpenSSL looks at more than the certificate: at those behind it, and at the strength of the key. Servers would refuse it when they begin. */
const requireUsable = (identity: TlsIdentity, path: string): TlsIdentity => {
  try {
    createSecureContext(secureContext(identity))
  } catch (error) {
    throw cliError('settings', `${CERTIFICATE}: ${path} cannot be used by a server: ${errorText(error)}`)
  }
  return identity
}

/** Throws cli/4 for files that no client could accept, with the reason. */
export const readTlsFiles = ({ certificatePath, keyPath }: TlsFiles, nowMs: number): TlsIdentity => {
  const certificate = read(certificatePath, CERTIFICATE)
  const key = read(keyPath, KEY)
  const parsed = parse(certificatePath, CERTIFICATE, 'certificate', () => new X509Certificate(certificate))
  const privateKey = parse(keyPath, KEY, 'private key without a password', () => createPrivateKey(key))
  if (!parsed.checkPrivateKey(privateKey)) {
    throw cliError('settings', `${KEY}: the key in ${keyPath} is not that of the certificate in ${certificatePath}`)
  }
  if (Date.parse(parsed.validTo) <= nowMs) {
    throw cliError('settings', `${CERTIFICATE}: ${certificatePath} expired at ${parsed.validTo}: renew it`)
  }
  if (Date.parse(parsed.validFrom) > nowMs) {
    const text = `${certificatePath} is not valid before ${parsed.validFrom}: is the clock of this machine right?`
    throw cliError('settings', `${CERTIFICATE}: ${text}`)
  }
  return requireUsable({ certificate, key }, certificatePath)
}

/** Returns when the certificate expires, in seconds since 1970. */
export const expirySeconds = ({ certificate }: TlsIdentity): number =>
  Date.parse(new X509Certificate(certificate).validTo) / 1_000

export interface WatchedTls extends TlsSource {
  /** Looks at the files now. */
  look(): void
  stop(): void
}

const timesOf = ({ certificatePath, keyPath }: TlsFiles): string => {
  try {
    return [certificatePath, keyPath].map((path) => statSync(path).mtimeMs).join(' ')
  } catch {
    // Being replaced: the next look finds them.
    return ''
  }
}

/** Throws as {@link readTlsFiles}. Later faults are logged, and the certificate stays that was there. */
export const watchTlsFiles = (files: TlsFiles, log: NodeLog): WatchedTls => {
  const listeners = new Set<(identity: TlsIdentity) => void>()
  let seen = timesOf(files)
  let identity = readTlsFiles(files, Date.now())
  /** What was wrong at the last look; it is said once. */
  let fault = ''
  const look = (): void => {
    const times = timesOf(files)
    if (times === seen || times === '') return
    try {
      identity = readTlsFiles(files, Date.now())
      // Only now: what was wrong before may be cured by the clock, or by whom the files belong to.
      seen = times
      fault = ''
      for (const listener of listeners) listener(identity)
      log.info('the certificate was renewed', { validUntil: new Date(expirySeconds(identity) * 1_000).toISOString() })
    } catch (error) {
      const reason = errorText(error)
      if (reason === fault) return
      fault = reason
      log.error('the renewed certificate cannot be used: the one before it stays', { reason })
    }
  }
  const timer = setInterval(look, LOOK_INTERVAL_MS).unref()
  return {
    current: () => identity,
    onRenewal(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    look,
    stop: () => clearInterval(timer),
  }
}
