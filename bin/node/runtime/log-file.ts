/** A log that takes a bounded place on the disk: when the file is full it becomes `<path>.1`, and a new one begins. */
import {
  createWriteStream,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type WriteStream,
} from 'node:fs'
import { dirname } from 'node:path'

const MAX_BYTES = 32 * 1024 * 1024
/** A disk that was full may have room again. */
const RETRY_MS = 60_000

export interface LogFileOptions {
  readonly path: string
  /** The most bytes of one file; there are two at most. */
  readonly maxBytes?: number
  /** The file of the run before becomes the older one of the two; otherwise nothing is left of it. */
  readonly keepsLastRun?: boolean
  /** How long nothing is written after a failure, in ms. */
  readonly retryMs?: number
  /** Called for each failure: lines are left out until the file is tried again. */
  onError(error: Error): void
}

export class LogFile {
  readonly #options: Required<LogFileOptions>
  #stream: WriteStream | undefined
  #bytes = 0
  /** When a file that failed is tried again; undefined while it is written. */
  #retryAtMs: number | undefined

  constructor(options: LogFileOptions) {
    this.#options = { maxBytes: MAX_BYTES, keepsLastRun: false, retryMs: RETRY_MS, ...options }
    this.#attempt(() => {
      mkdirSync(dirname(options.path), { recursive: true })
      if (options.keepsLastRun === true && existsSync(options.path)) renameSync(options.path, this.#older)
      else if (options.keepsLastRun !== true) rmSync(this.#older, { force: true })
      this.#open()
    })
  }

  /** A line longer than a file is a file of its own. */
  write(line: string): void {
    if (this.#retryAtMs !== undefined && performance.now() >= this.#retryAtMs) this.#attempt(() => this.#goOn())
    const length = Buffer.byteLength(line)
    if (this.#bytes > 0 && this.#bytes + length > this.#options.maxBytes) this.#attempt(() => this.#rotate())
    this.#bytes += length
    this.#stream?.write(line)
  }

  /** Settles once all is written, or cannot be. */
  end(): Promise<void> {
    const stream = this.#stream
    this.#stream = undefined
    this.#retryAtMs = Infinity
    return stream === undefined ? Promise.resolve() : new Promise((settle) => stream.once('close', settle).end())
  }

  get #older(): string {
    return `${this.#options.path}.1`
  }

  /** What the stream still holds goes into its file under the new name. */
  #rotate(): void {
    if (this.#stream === undefined) return
    // Somebody may have moved or removed it.
    if (existsSync(this.#options.path)) renameSync(this.#options.path, this.#older)
    this.#stream.end()
    this.#open()
  }

  /** What was written before the failure stays: it may say what led to it. */
  #goOn(): void {
    this.#open('a')
    this.#retryAtMs = undefined
  }

  #open(flags: 'a' | 'w' = 'w'): void {
    // Opened at once: it may be renamed before a stream would have opened it.
    const { path } = this.#options
    const fd = openSync(path, flags)
    const stream = createWriteStream(path, { fd })
    stream.on('error', (error) => {
      if (this.#stream === stream) this.#fail(error)
    })
    this.#stream = stream
    this.#bytes = fstatSync(fd).size
  }

  #attempt(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #fail(error: Error): void {
    this.#stream?.end()
    this.#stream = undefined
    this.#retryAtMs = performance.now() + this.#options.retryMs
    this.#options.onError(error)
  }
}
