/** What commands read: files, and standard input. */
import { readFileSync, readSync } from 'node:fs'
import { cliError, errorText } from '../errors.ts'

const STANDARD_INPUT = 0
const CHUNK_BYTES = 64 * 1024
/** A proposal may hold long texts; a transaction is far below. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024
const POLL_MS = 10

const isNotReady = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

/** Reads standard input to its end. A pipe that does not block says so when whoever writes is slower. */
const readStandardInput = (): string => {
  const chunks: Buffer[] = []
  for (let total = 0; ; ) {
    try {
      const chunk = Buffer.alloc(CHUNK_BYTES)
      const length = readSync(STANDARD_INPUT, chunk)
      if (length === 0) return Buffer.concat(chunks).toString('utf8')
      total += length
      if (total > MAX_INPUT_BYTES) throw cliError('usage', `more than ${MAX_INPUT_BYTES} bytes on standard input`)
      chunks.push(chunk.subarray(0, length))
    } catch (error) {
      if (!isNotReady(error)) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS)
    }
  }
}

/** The whole of a file, or of standard input for `-`. Throws cli/1. */
export const readText = (file: string): string => {
  if (file === '-') return readStandardInput()
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw cliError('usage', errorText(error))
  }
}

/** Throws cli/1. */
export const parseJson = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw cliError('usage', `${what} is no JSON: ${errorText(error)}`)
  }
}

export const readJson = (file: string): unknown => parseJson(readText(file), file)
