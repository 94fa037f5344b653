/** Sends a transaction, and waits for its block when asked to. */
import { setTimeout as sleep } from 'node:timers/promises'
import { create } from '@bufbuild/protobuf'
import { sha256 } from '../../../core/hash.ts'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { baseAbci, txService } from '../../../proto/index.ts'
import { cliError } from '../../errors.ts'
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

/** Throws cli/19 when no block holds it in time. */
const waitForBlock = async (client: CometClient, hash: string, waitMs: number): Promise<baseAbci.TxResponse> => {
  const deadline = performance.now() + waitMs
  for (;;) {
    const found = await findIncluded(client, hash)
    if (found !== undefined) return found
    if (performance.now() > deadline) {
      throw cliError('transaction', `no block holds ${hash} after ${waitMs / 1_000} s: ask again with "chain query tx"`)
    }
    await sleep(POLL_MS)
  }
}

/** What the node says of it: a refusal is a code, not an error. Throws cli/10 without a node. */
export const broadcast = async (
  client: CometClient,
  raw: Uint8Array,
  { broadcastMode, waitMs }: Pick<TxFlags, 'broadcastMode' | 'waitMs'>,
): Promise<baseAbci.TxResponse> => {
  const txhash = bytesToUnprefixedHex(sha256(raw)).toUpperCase()
  const { code, codespace, log } = await client.broadcast(raw, broadcastMode)
  if (code !== 0 || waitMs === undefined)
    return create(baseAbci.TxResponseSchema, { txhash, code, codespace, rawLog: log })
  return await waitForBlock(client, txhash, waitMs)
}
