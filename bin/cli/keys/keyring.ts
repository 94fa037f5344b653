/**
 * The keys of a home: one file each, `<home>/keyring/<name>.json`. A private key is a keystore that geth reads; what
 * it does not know (name, kind and public key) stands in the member `nat`. Multisigs and keys of others have that alone.
 */
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { type PublicKey, publicKeyAddress } from '../../../app/native/public-key.ts'
import type { Address } from '../../../core/address.ts'
import { equalBytes } from '../../../core/bytes.ts'
import { requireWritableFolder } from '../../node/config/home.ts'
import { cliError, errorText } from '../../errors.ts'
import { decryptKey, encryptKey, type Keystore, type KeystoreCost } from './keystore.ts'
import { ALGORITHMS, type Algorithm, printPublicKey, publicKeyOf, readPublicKey } from './public-key-json.ts'

export const BACKENDS = ['file', 'test'] as const
/** `test` has a password that everybody knows, and files of its own. */
export type Backend = (typeof BACKENDS)[number]

export const TEST_PASSWORD = 'test'
const FOLDERS: Readonly<Record<Backend, string>> = { file: 'keyring', test: 'keyring-test' }

export interface KeyRecord {
  readonly name: string
  /** The kind in the SDK's words: `offline` is a public key alone. */
  readonly kind: 'local' | 'multi' | 'offline'
  readonly publicKey: PublicKey
  readonly address: Address
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

const keyFile = z.looseObject({
  nat: z.object({ name: z.string(), pubkey: z.unknown() }),
  crypto: z.object({}).optional(),
})

/** Throws cli/1. */
const requireName = (name: string): string => {
  if (NAME.test(name) && !name.startsWith('nat1')) return name
  throw cliError('usage', `"${name}" is no name for a key: 1 to 64 letters, digits, dots, dashes and underscores`)
}

export class Keyring {
  readonly folder: string
  readonly backend: Backend

  constructor(home: string, backend: Backend) {
    this.folder = join(home, FOLDERS[backend])
    this.backend = backend
  }

  pathOf(name: string): string {
    return join(this.folder, `${name}.json`)
  }

  /** Lists the keys by name. Throws cli/18 for a file that cannot be read. */
  list(): readonly KeyRecord[] {
    if (!existsSync(this.folder)) return []
    const names = readdirSync(this.folder).filter((file) => file.endsWith('.json'))
    return names.toSorted().map((file) => this.#read(file.slice(0, -'.json'.length)))
  }

  find(name: string): KeyRecord | undefined {
    return NAME.test(name) && existsSync(this.pathOf(name)) ? this.#read(name) : undefined
  }

  findByAddress(address: Address): KeyRecord | undefined {
    return this.list().find((record) => equalBytes(record.address, address))
  }

  /** The file itself: what geth reads, of a key that is here with its private part. Throws cli/18. */
  readFile(name: string): unknown {
    const path = this.pathOf(name)
    if (!NAME.test(name) || !existsSync(path)) throw cliError('keyring', `no key ${name} in ${this.folder}`)
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as unknown
    } catch (error) {
      throw cliError('keyring', `${path}: ${errorText(error)}`)
    }
  }

  /** Throws cli/18 for a wrong password, and for a public key that is not the private one's. */
  openPrivateKey(record: KeyRecord, password: string): Uint8Array {
    const { name, kind, publicKey } = record
    if (kind !== 'local' || publicKey.type === 'multisig') {
      throw cliError('keyring', `${name} has no private key here (${kind})`)
    }
    const privateKey = decryptKey(this.readFile(name), password, this.pathOf(name))
    if (!equalBytes(publicKeyOf(privateKey, publicKey.type).key, publicKey.key)) {
      throw cliError('keyring', `${this.pathOf(name)}: the public key is not that of the private key`)
    }
    return privateKey
  }

  addPrivateKey(
    name: string,
    algorithm: Algorithm,
    privateKey: Uint8Array,
    password: string,
    cost: KeystoreCost,
  ): KeyRecord {
    const publicKey = publicKeyOf(privateKey, algorithm)
    this.#checkNew(name, publicKeyAddress(publicKey))
    return this.#write(name, publicKey, encryptKey(privateKey, password, cost))
  }

  /** A multisig, or the key of somebody else. */
  addPublicKey(name: string, publicKey: PublicKey): KeyRecord {
    this.#checkNew(name, publicKeyAddress(publicKey))
    return this.#write(name, publicKey, undefined)
  }

  remove(name: string): void {
    // Also one that cannot be read.
    if (!NAME.test(name) || !existsSync(this.pathOf(name)))
      throw cliError('keyring', `no key ${name} in ${this.folder}`)
    rmSync(this.pathOf(name))
  }

  /** Throws cli/18 when the name or the account is there already. */
  checkName(name: string): void {
    requireName(name)
    if (existsSync(this.pathOf(name))) throw cliError('keyring', `there is a key ${name} in ${this.folder} already`)
  }

  #checkNew(name: string, address: Address): void {
    this.checkName(name)
    const same = this.findByAddress(address)
    if (same !== undefined) throw cliError('keyring', `that key is in the keyring already, as ${same.name}`)
  }

  #write(name: string, publicKey: PublicKey, keystore: Keystore | undefined): KeyRecord {
    requireWritableFolder(this.folder)
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    chmodSync(this.folder, 0o700)
    const nat = { name, pubkey: printPublicKey(publicKey) }
    const path = this.pathOf(name)
    // Beside it and synced: on a full disk, or after a power failure, the key is there whole or not at all.
    const beside = join(this.folder, `.${name}.${randomUUID()}.new`)
    try {
      const text = `${JSON.stringify({ ...keystore, nat }, null, 2)}\n`
      writeFileSync(beside, text, { mode: 0o600, flag: 'wx', flush: true })
      // Fails where there is one of that name.
      linkSync(beside, path)
    } finally {
      rmSync(beside, { force: true })
    }
    return this.#read(name)
  }

  #read(name: string): KeyRecord {
    const parsed = keyFile.safeParse(this.readFile(name))
    if (!parsed.success) {
      throw cliError('keyring', `${this.pathOf(name)} is no key of this keyring:\n${z.prettifyError(parsed.error)}`)
    }
    const publicKey = readPublicKey(parsed.data.nat.pubkey)
    const kind = publicKey.type === 'multisig' ? 'multi' : parsed.data.crypto === undefined ? 'offline' : 'local'
    return { name, kind, publicKey, address: publicKeyAddress(publicKey) }
  }
}

/** Throws cli/1. */
export const parseAlgorithm = (text: string): Algorithm => {
  const known = ALGORITHMS.find((each) => each === text)
  if (known === undefined) throw cliError('usage', `"${text}" is no kind of key: ${ALGORITHMS.join(' or ')}`)
  return known
}
