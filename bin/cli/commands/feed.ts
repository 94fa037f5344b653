/** `chain feed`: committed blocks of a running node on standard output, for whatever reads lines of JSON. */
import type { FeedBlock } from '../../../app/ports.ts'
import { isRpcError } from '../../../rpc/errors.ts'
import { openFileCursor } from '../../../rpc/feed/file-cursor.ts'
import { type FeedCursor, followBlocks } from '../../../rpc/feed/follow-blocks.ts'
import { connectApplication } from '../../../rpc/stream/connect-application.ts'
import { cliError } from '../../errors.ts'
import { createLog } from '../../node/runtime/log.ts'
import { untilSignal } from '../../node/supervise/signals.ts'

export interface FeedOptions {
  /** Where the application answers questions. */
  readonly application: string
  readonly secret?: Uint8Array
  readonly from?: number
  /** Path of the file; without one nothing is remembered. */
  readonly cursor?: string
  readonly isEndless: boolean
}

/** Who does not follow wants an answer, also when it is that there is none. */
const PATIENCE_MS = 10_000
/** Characters that are written at a time: a line may be longer than any text can be. */
const PIECE_LENGTH = 1024 * 1024

const NO_CURSOR: FeedCursor = { load: () => undefined, save: () => undefined }

const isClosedPipe = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EPIPE'

/** Resolves when the system has taken it: whoever reads slowly is waited for. */
const write = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error === undefined || error === null ? resolve() : reject(error)))
  })

/** The line of a block: its transactions stand last. */
function* lineOf({ transactions, ...block }: FeedBlock): Generator<string> {
  yield `${JSON.stringify(block).slice(0, -1)},"transactions":[`
  for (const [index, transaction] of transactions.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(transaction)}`
  }
  yield ']}\n'
}

const printBlock = async (block: FeedBlock): Promise<void> => {
  let piece = ''
  for (const text of lineOf(block)) {
    piece += text
    if (piece.length < PIECE_LENGTH) continue
    await write(piece)
    piece = ''
  }
  await write(piece)
}

const explain = (error: unknown, address: string): unknown =>
  isRpcError(error, 'unavailable') ? cliError('unreachable', `no node answers at ${address}: is it running?`) : error

/** Ends at the head or at a signal, and when nobody reads any more. Throws cli/10, query/8 and feed errors. */
export const feedCommand = async (options: FeedOptions): Promise<void> => {
  const { application: address, from, cursor, isEndless } = options
  const log = createLog({ level: 'warn' })
  const signal = untilSignal()
  const end = new AbortController()
  void signal.received.then(() => end.abort())
  // The callback of the write tells of it, too.
  process.stdout.on('error', () => undefined)
  const application = connectApplication({
    address,
    log,
    ...(options.secret === undefined ? {} : { secret: options.secret }),
  })
  try {
    await followBlocks({
      application,
      cursor: cursor === undefined ? NO_CURSOR : openFileCursor(cursor),
      isEndless,
      log,
      signal: end.signal,
      ...(from === undefined ? {} : { from }),
      ...(isEndless ? {} : { patienceMs: PATIENCE_MS }),
      onBlock: printBlock,
    })
  } catch (error) {
    if (!isClosedPipe(error)) throw explain(error, address)
  } finally {
    await application.close()
    signal.dispose()
  }
}
