/** `chain evm statetest`: runs files of Ethereum state tests, with the output of geth's command of that name. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { gunzipSync } from 'node:zlib'
import { CodedError } from '../../../core/errors.ts'
import type { Engine } from '../../../evm/engine.ts'
import { createEthereumjsEngine } from '../../../evm/reference/create-engine.ts'
import { createInterpreterEngine } from '../../../evm/interpreter/create-engine.ts'
import { parseStateTests } from '../../../evm/statetest/parse-state-test.ts'
import { runStateTest, type StateTestHooks, type StateTestResult } from '../../../evm/statetest/run-state-test.ts'
import { TraceWriter } from '../../../evm/statetest/trace-writer.ts'

export interface StateTestOptions {
  readonly trace: boolean
  /** The node's engine, or the reference that it is compared with. */
  readonly engine: 'interpreter' | 'ethereumjs'
}

export interface CommandOutput {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
}

/** Characters of a trace gathered before they are written. */
const TRACE_CHUNK_LENGTH = 65_536

/** A folder stands for the .json and .json.gz files in it, in the order of their names. */
const collectFiles = (path: string): string[] => {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => join(path, name))
    .flatMap((entry) => (statSync(entry).isDirectory() || /\.json(\.gz)?$/.test(entry) ? collectFiles(entry) : []))
}

/** The test files in a file: one of plain JSON, many in a gzip'd bundle of `{"<path>": <file>}`. */
const readTests = (path: string): unknown[] => {
  const bytes = readFileSync(path)
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  const json: unknown = JSON.parse((zipped ? gunzipSync(bytes) : bytes).toString('utf8'))
  return zipped && typeof json === 'object' && json !== null ? Object.values(json) : [json]
}

class Chunks {
  readonly #write: (text: string) => void
  #lines: string[] = []
  #length = 0

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  readonly line = (line: string): void => {
    this.#lines.push(line)
    this.#length += line.length
    if (this.#length > TRACE_CHUNK_LENGTH) this.flush()
  }

  flush(): void {
    if (this.#lines.length > 0) this.#write(`${this.#lines.join('\n')}\n`)
    this.#lines = []
    this.#length = 0
  }
}

const hooksOf = (options: StateTestOptions, output: CommandOutput): StateTestHooks => {
  const chunks = new Chunks(output.stderr)
  return {
    ...(options.trace ? { trace: new TraceWriter(chunks.line) } : {}),
    onCase: ({ stateRoot }) => {
      chunks.line(JSON.stringify({ stateRoot }).replace(':', ': '))
      chunks.flush()
    },
  }
}

const runPath = async (engine: Engine, path: string, hooks: StateTestHooks): Promise<StateTestResult[]> => {
  const results: StateTestResult[] = []
  for (const file of collectFiles(path)) {
    for (const json of readTests(file)) {
      for (const test of parseStateTests(json)) results.push(...(await runStateTest(engine, test, hooks)))
    }
  }
  return results
}

const report = (output: CommandOutput, results: readonly StateTestResult[]): void =>
  output.stdout(`${JSON.stringify(results, undefined, 2)}\n`)

/** Exit status 1 with the reason on stderr when a file cannot be read; failing cases are no reason. */
export const stateTestCommand = async (
  files: readonly string[],
  options: StateTestOptions,
  io: CommandOutput,
): Promise<number> => {
  const engine = options.engine === 'ethereumjs' ? await createEthereumjsEngine() : await createInterpreterEngine()
  const hooks = hooksOf(options, io)
  try {
    if (files.length > 0) {
      const results: StateTestResult[] = []
      for (const path of files) results.push(...(await runPath(engine, path, hooks)))
      report(io, results)
      return 0
    }
    // Names on stdin, one array for each, so that a fuzzer can keep the process.
    for await (const path of createInterface({ input: process.stdin })) {
      if (path === '') return 0
      report(io, await runPath(engine, path, hooks))
    }
    return 0
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof CodedError || (error as NodeJS.ErrnoException).code) {
      io.stderr(`${(error as Error).message}\n`)
      return 1
    }
    throw error
  }
}
