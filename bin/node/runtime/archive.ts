/**
 * A file that holds others: "NATSNAP2", then one zstd stream of length(4) manifest (JSON) and its sha256, and for each
 * file of the manifest, in its order, the content and its sha256; then "NATSEND2". A manifest names every size, so a
 * reader knows the whole before it writes anything, and takes not a byte more.
 */
import { createHash, randomUUID } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import * as z from 'zod'
import { concatBytes, equalBytes, readUint32, utf8ToBytes, viewBuffer } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import { cliError, errorText } from '../../errors.ts'

const MAGIC = utf8ToBytes('NATSNAP2')
/** A zstd stream without its last bytes can still give all of its content. */
const END = utf8ToBytes('NATSEND2')
/** Its manifest had no hash: a corrupted manifest was reported as a foreign chain. */
const EARLIER_MAGIC = utf8ToBytes('NATSNAP1')
const LENGTH_BYTES = 4
const HASH_BYTES = 32
/** A manifest entry takes some 60 bytes. */
const MAX_MANIFEST_BYTES = 32 * 1024 * 1024
const PIECE_BYTES = 1024 * 1024

export interface ArchiveFile {
  /** The relative path, with slashes. */
  readonly path: string
  readonly size: number
}

export interface ArchiveManifest {
  readonly chainId: string
  readonly height: number
  readonly files: readonly ArchiveFile[]
}

const manifestShape = z.strictObject({
  chainId: z.string().max(50),
  height: z.int().positive(),
  files: z.array(z.strictObject({ path: z.string().max(200), size: z.int().nonnegative() })).max(500_000),
})

const damaged = (what: string): never => {
  throw cliError('snapshot', `the archive is damaged or cut short: ${what}`)
}

// ---- writing ------------------------------------------------------------------------------------------------

const openRegular = (path: string): number => {
  try {
    return openSync(path, 'r')
  } catch (error) {
    throw cliError('snapshot', `${path} cannot be read: ${errorText(error)}`)
  }
}

function* pieces(file: number, source: string, size: number): Generator<Buffer, void, void> {
  const hash = createHash('sha256')
  for (let left = size; left > 0; ) {
    const piece = Buffer.allocUnsafe(Math.min(left, PIECE_BYTES))
    const read = readSync(file, piece)
    if (read === 0) throw cliError('snapshot', `${source} became shorter while it was read: is the node stopped?`)
    const part = piece.subarray(0, read)
    hash.update(part)
    yield part
    left -= read
  }
  if (readSync(file, Buffer.allocUnsafe(1)) > 0) {
    throw cliError('snapshot', `${source} grew while it was read: is the node stopped?`)
  }
  yield hash.digest()
}

export interface WriteArchiveOptions {
  readonly output: string
  readonly manifest: ArchiveManifest
  /** Where a file of the manifest lies. */
  sourceOf(path: string): string
  onFile(path: string, index: number): void
}

function* archiveBytes({ manifest, sourceOf, onFile }: WriteArchiveOptions): Generator<Uint8Array, void, void> {
  const text = utf8ToBytes(JSON.stringify(manifest))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(text.length)
  yield length
  yield text
  yield sha256(text)
  for (const [index, { path, size }] of manifest.files.entries()) {
    const source = sourceOf(path)
    const file = openRegular(source)
    try {
      yield* pieces(file, source, size)
    } finally {
      closeSync(file)
    }
    onFile(path, index)
  }
}

/** Throws cli/17 when there is a file of that name, or no folder for it. */
export const requireNewFile = (path: string): void => {
  if (existsSync(path)) throw cliError('snapshot', `${path} exists: name another file, or remove it first`)
  if (!existsSync(dirname(path))) throw cliError('snapshot', `${dirname(path)} is missing: make that folder first`)
}

/** Written beside and renamed: a file of that name is whole. Throws cli/17. */
export const writeArchive = async (options: WriteArchiveOptions): Promise<void> => {
  const { output } = options
  requireNewFile(output)
  const unfinished = `${output}.${randomUUID()}.unfinished`
  try {
    const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } })
    const out = createWriteStream(unfinished, { flush: true, flags: 'wx', mode: 0o600 })
    out.write(MAGIC)
    await pipeline(Readable.from(archiveBytes(options)), compress, out)
    appendFileSync(unfinished, END, { flush: true })
    renameSync(unfinished, output)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

// ---- reading ------------------------------------------------------------------------------------------------

/** Bytes of a stream on demand; it is never read ahead by more than the stream itself does. */
class ByteReader {
  readonly #stream: Readable
  readonly #parts: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#stream = stream
    this.#parts = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  /** Gives at least one byte, at most `most`; undefined at the end. */
  async some(most: number): Promise<Buffer | undefined> {
    while (this.#held.length === 0) {
      const { value, done } = await this.#parts.next()
      if (done === true) return undefined
      this.#held = value
    }
    const part = this.#held.subarray(0, most)
    this.#held = this.#held.subarray(part.length)
    return part
  }

  async exactly(count: number): Promise<Uint8Array> {
    const parts: Buffer[] = []
    for (let left = count; left > 0; ) {
      const part = (await this.some(left)) ?? damaged('it ends too early')
      parts.push(part)
      left -= part.length
    }
    return concatBytes(...parts)
  }

  close(): void {
    this.#stream.destroy()
  }
}

/** One archive, read once from its beginning to its end. */
export class ArchiveReader {
  readonly manifest: ArchiveManifest
  readonly #bytes: ByteReader
  readonly #close: () => void

  private constructor(manifest: ArchiveManifest, bytes: ByteReader, close: () => void) {
    this.manifest = manifest
    this.#bytes = bytes
    this.#close = close
  }

  /** Throws cli/17 when it is no archive. */
  static async open(path: string): Promise<ArchiveReader> {
    const end = endOfStream(path)
    const file = createReadStream(path, { start: MAGIC.length, end: end - 1 })
    const stream = createZstdDecompress()
    file.on('error', (error) => stream.destroy(error))
    file.pipe(stream)
    const bytes = new ByteReader(stream)
    const close = (): void => {
      bytes.close()
      file.destroy()
    }
    try {
      const length = readUint32(await bytes.exactly(LENGTH_BYTES))
      if (length > MAX_MANIFEST_BYTES) damaged('its manifest is too long')
      const text = await bytes.exactly(length)
      if (!equalBytes(sha256(text), await bytes.exactly(HASH_BYTES))) damaged('its manifest does not have its hash')
      return new ArchiveReader(parseManifest(text), bytes, close)
    } catch (error) {
      close()
      throw asDamage(error)
    }
  }

  /** The next file of the manifest, piece by piece; its hash is checked at its end. Throws cli/17. */
  async *file({ path, size }: ArchiveFile): AsyncGenerator<Uint8Array, void, void> {
    const hash = createHash('sha256')
    try {
      for (let left = size; left > 0; ) {
        const part = (await this.#bytes.some(left)) ?? damaged(`${path} ends too early`)
        hash.update(part)
        left -= part.length
        yield part
      }
      const expected = await this.#bytes.exactly(HASH_BYTES)
      if (!equalBytes(hash.digest(), expected)) damaged(`${path} does not have its hash`)
    } catch (error) {
      throw asDamage(error)
    }
  }

  /** Called after the last file. Throws cli/17 when there is more. */
  async requireEnd(): Promise<void> {
    try {
      if ((await this.#bytes.some(1)) !== undefined) damaged('there is more than its manifest names')
    } catch (error) {
      throw asDamage(error)
    }
  }

  close(): void {
    this.#close()
  }
}

/** What zlib says of a stream that is none. */
const asDamage = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!code.startsWith('ZSTD_') && !code.startsWith('Z_') && !code.startsWith('ERR_')) return error
  return cliError('snapshot', `the archive is damaged or cut short: ${errorText(error)}`)
}

/** Where the zstd stream ends. Throws cli/17 when this is no archive, or not a whole one. */
const endOfStream = (path: string): number => {
  const file = openRegular(path)
  try {
    const { size } = fstatSync(file)
    const end = size - END.length
    const [first, last] = [Buffer.alloc(MAGIC.length), Buffer.alloc(END.length)]
    readSync(file, first, { position: 0 })
    if (equalBytes(first, EARLIER_MAGIC)) {
      throw cliError('snapshot', `${path} is an archive of an earlier version: export it again with this one`)
    }
    if (!equalBytes(first, MAGIC)) throw cliError('snapshot', `${path} is no archive of "chain snapshot export"`)
    if (end <= MAGIC.length) damaged('it has no content')
    readSync(file, last, { position: end })
    return equalBytes(last, END) ? end : damaged('it has no end')
  } finally {
    closeSync(file)
  }
}

const parseManifest = (bytes: Uint8Array): ArchiveManifest => {
  let value: unknown
  try {
    value = JSON.parse(viewBuffer(bytes).toString('utf8'))
  } catch {
    return damaged('its manifest is no JSON')
  }
  const parsed = manifestShape.safeParse(value)
  return parsed.success ? parsed.data : damaged('its manifest')
}
