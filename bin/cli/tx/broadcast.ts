/** Sends a transaction, and waits for its block when asked to. */
import { setTimeout as sleep } from 'node:timers/promises'
import { create } from '@bufbuild/protobuf'
import { sha256 } from '../../../core/hash.ts'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { baseAbci, txService } from '../../../proto/index.ts'
import { CodedError } from '../../../core/errors.ts'
import { CLI_CODES, cliError, errorText } from '../../errors.ts'
import { type CometClient, QueryRefusal } from '../client/comet-client.ts'
import type { TxFlags } from './tx-flags.ts'

const POLL_MS = 200
/** The SDK's code of a key that is not in its store. */
const KEY_NOT_FOUND = 22

const findIncluded = async (client: CometClient, hash: string): Promise<baseAbci.TxResponse | undefined> => {
  try {
    return (await client.query(txService.Service.method.getTx, { hash })).txResponse
  } catch (error) {
    if (error instanceof QueryRefusal && error.reason.code === KEY_NOT_FOUND) return undefined
    throw error
  }
}

/** Nothing was heard of the node: no answer, or none that can be read. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof CodedError && error.codespace === 'cli' && error.code === CLI_CODES.unreachable

/** Throws cli/19 when no block holds it in time. A node that does not answer for a while is asked again: it has the transaction. */
const waitForBlock = async (client: CometClient, hash: string, waitMs: number): Promise<baseAbci.TxResponse> => {
  const deadline = performance.now() + waitMs
  for (;;) {
    let fault = ''
    try {
      const found = await findIncluded(client, hash)
      if (found !== undefined) return found
    } catch (error) {
      if (!isUnreachable(error)) throw error
      fault = ` (${errorText(error)})`
    }
    if (performance.now() > deadline) {
      throw cliError(
        'transaction',
        `no block holds ${hash} after ${waitMs / 1_000} s${fault}: ask again with "chain query tx"`,
      )
    }
    await sleep(POLL_MS)
  }
}

/** Whoever sends anew what was taken pays twice: so he is told its hash. */
export const maybeSent = (error: unknown, hash: string): CodedError =>
  cliError('unreachable', `${errorText(error)}. The transaction ${hash} may have been sent: ask with "chain query tx"`)

/** Throws cli/10 with the hash where no answer comes. */
export const sendOnce = async (client: CometClient, raw: Uint8Array, hash: string, mode: TxFlags['broadcastMode']) => {
  try {
    return await client.broadcast(raw, mode)
  } catch (error) {
    throw isUnreachable(error) ? maybeSent(error, hash) : error
  }
}

/** What the node says of it: a refusal is a code, not an error. Throws cli/10 without a node. */
export const broadcast = async (
  client: CometClient,
  raw: Uint8Array,
  { broadcastMode, waitMs }: Pick<TxFlags, 'broadcastMode' | 'waitMs'>,
): Promise<baseAbci.TxResponse> => {
  const txhash = bytesToUnprefixedHex(sha256(raw)).toUpperCase()
  const { code, codespace, log } = await sendOnce(client, raw, txhash, broadcastMode)
  if (code !== 0 || waitMs === undefined)
    return create(baseAbci.TxResponseSchema, { txhash, code, codespace, rawLog: log })
  return await waitForBlock(client, txhash, waitMs)
}
