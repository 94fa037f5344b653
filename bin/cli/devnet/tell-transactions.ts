/** Follows the blocks of a devnet, and prints a line for each transaction. */
import * as z from 'zod'
import type { Home } from '../../node/config/home.ts'
import { CodedError, errorText } from '../../../core/errors.ts'
import { followBlocks } from '../../../rpc/feed/follow-blocks.ts'
import { connectApplication } from '../../../rpc/stream/connect-application.ts'
import { type ReasonOf, transactionLines } from './transaction-lines.ts'

const TRACE = {
  tracer: { name: 'callTracer', onlyTopCall: true, withLog: false },
  timeoutMs: 2_000,
} as const

const topCall = z.object({ output: z.string().optional(), revertReason: z.string().optional() })

/** Resolves when `stopped` says so. Never rejects: a terminal without lines is no reason to end a chain. */
export const tellTransactions = async (home: Home, from: number, stopped: AbortSignal): Promise<void> => {
  const application = connectApplication({ address: home.queriesSocket })
  let height = from
  const reasonOf: ReasonOf = async (hash) => {
    try {
      const text = await application.ask('traceTransaction', { hash, options: TRACE }, height)
      const { revertReason, output } = topCall.parse(JSON.parse(text))
      return revertReason ?? output
    } catch (error) {
      // The trace was beyond a limit of the node, and the line says so instead.
      if (error instanceof CodedError) return errorText(error)
      throw error
    }
  }
  try {
    await followBlocks({
      application,
      cursor: { load: () => undefined, save: () => undefined },
      from,
      isEndless: true,
      signal: stopped,
      onBlock: async (block) => {
        ;({ height } = block)
        for (const line of await transactionLines(block, reasonOf)) process.stdout.write(`${line}\n`)
      },
    })
  } catch (error) {
    if (!stopped.aborted) process.stderr.write(`no more lines of transactions: ${errorText(error)}\n`)
  } finally {
    await application.close()
  }
}
