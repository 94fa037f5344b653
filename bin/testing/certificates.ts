/** Certificates for tests, made by openssl. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

export interface CertificateFiles {
  readonly certificatePath: string
  readonly keyPath: string
}

/** Makes a certificate for localhost and 127.0.0.1, signed by itself. `days` below zero makes one that has expired. */
export const makeCertificate = (folder: string, name: string, days = 30): CertificateFiles => {
  const certificatePath = join(folder, `${name}.pem`)
  const keyPath = join(folder, `${name}.key`)
  const openssl = (...args: readonly string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' })
  openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', keyPath)
  const request = join(folder, `${name}.csr`)
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1'
  openssl('req', '-new', '-key', keyPath, '-subj', '/CN=localhost', '-addext', names, '-out', request)
  const validity =
    days < 0 ? ['-not_before', '20200101000000Z', '-not_after', '20200201000000Z'] : ['-days', String(days)]
  const sign = ['x509', '-req', '-in', request, '-key', keyPath, '-copy_extensions', 'copyall', '-out', certificatePath]
  try {
    openssl(...sign, ...validity)
  } catch {
    // openssl before 3.4 cannot name the dates; it takes days below zero.
    openssl(...sign, '-days', String(days))
  }
  return { certificatePath, keyPath }
}
