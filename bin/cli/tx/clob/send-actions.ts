/** Signs actions of the order book, sends them, and tells what became of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import {
  type Action,
  CLOB_ERRORS,
  type ClobTx,
  decodeClobBody,
  decodeClobResult,
  encodeClobTx,
  signDigest as digestOf,
} from '../../../../modules/clob/index.ts'
import type { Address } from '../../../../core/address.ts'
import { concatBytes, EMPTY_BYTES, equalBytes } from '../../../../core/bytes.ts'
import { sha256 } from '../../../../core/hash.ts'
import { bytesToUnprefixedHex } from '../../../../core/hex.ts'
import { signDigest } from '../../../../core/signature.ts'
import { cliError, errorText } from '../../../errors.ts'
import type { CometClient } from '../../client/comet-client.ts'
import { printResult } from '../../output.ts'
import { requireChain } from '../accounts.ts'
import { isUnreachable, maybeSent, sendOnce } from '../broadcast.ts'
import { openSigningKey, type TxSession } from '../submit.ts'
import type { Sender } from '../tx-flags.ts'

const POLL_MS = 200
/** A block may be up to 40 ahead: what no block of these holds is gone. */
const BLOCKS_AHEAD = 20
/** Nonces are within a minute of the chain's time: this machine's clock is taken where it is nearer than this. */
const NEAR_MS = 30_000
const MS = 1_000
/** CometBFT's index of transactions comes a moment behind its blocks. */
const BLOCKS_BEHIND = 2
/** A node may be started again meanwhile. */
const SILENCE_MS = 60_000

const status = z.object({
  node_info: z.object({ network: z.string() }),
  sync_info: z.object({ latest_block_height: z.coerce.number(), latest_block_time: z.string() }),
})
const included = z.object({
  height: z.string(),
  tx_result: z.object({
    code: z.int(),
    codespace: z.string().default(''),
    log: z.string().default(''),
    data: z.string().nullish(),
  }),
})

export interface ActionOptions {
  /** Where an agent signs for somebody else. */
  readonly owner: Address | undefined
  readonly subaccount: number
}

/** Different for two commands within a block. */
const nonceNear = (chainMs: number): number => {
  const nowMs = Date.now()
  return Math.abs(nowMs - chainMs) < NEAR_MS ? nowMs : chainMs + (nowMs % MS)
}

const sign = (unsigned: ClobTx, chainId: string, privateKey: Uint8Array): Uint8Array => {
  // Schemes 2 and 3 sign the native chain id alone.
  const { r, s, yParity } = signDigest(digestOf(unsigned, { chainId, evmChainId: 0 }), privateKey)
  return encodeClobTx({ ...unsigned, signature: concatBytes(r, s, Uint8Array.of(yParity)) })
}

/** What CometBFT has of it; undefined while no block holds it. */
const findIncluded = async (client: CometClient, hash: Uint8Array) => {
  try {
    return included.parse(await client.call('tx', { hash: Buffer.from(hash).toString('base64'), prove: false }))
  } catch (error) {
    if (errorText(error).includes('not found')) return undefined
    throw error
  }
}

const head = async (client: CometClient) => status.parse(await client.call('status'))

const askBoth = async (client: CometClient, hash: Uint8Array) => {
  const { sync_info: at } = await head(client)
  return { at, found: await findIncluded(client, hash) }
}

/**
 * Throws cli/19 once no block can hold it any more. A node that does not answer for a while is asked again, for it has the order; then cli/10.
 */
const waitForBlock = async (client: CometClient, hash: Uint8Array, goodTilBlock: number) => {
  let heardMs = performance.now()
  for (;;) {
    const asked = await askBoth(client, hash).catch((error: unknown) => {
      if (!isUnreachable(error)) throw error
      if (performance.now() - heardMs > SILENCE_MS) throw maybeSent(error, bytesToUnprefixedHex(hash).toUpperCase())
      return undefined
    })
    if (asked === undefined) {
      await sleep(POLL_MS)
      continue
    }
    heardMs = performance.now()
    const { at, found } = asked
    if (found !== undefined) return found
    if (at.latest_block_height > goodTilBlock + BLOCKS_BEHIND) {
      throw cliError('transaction', `no block up to ${goodTilBlock} holds the order: it is gone, and nothing happened`)
    }
    await sleep(POLL_MS)
  }
}

const ERRORS = Object.entries(CLOB_ERRORS.entries)

/** What the code of an action means, as docs/errors.md has it. */
const errorOf = (code: number): string | undefined => {
  const [name, entry] = ERRORS.find(([, each]) => each.code === code) ?? []
  return entry === undefined ? undefined : `${name}: ${entry.cause} ${entry.action}`
}

const shownResult = (txhash: string, { height, tx_result: result }: z.infer<typeof included>) => {
  const { code, codespace, log, data } = result
  const results = data === null || data === undefined ? [] : decodeClobResult(Buffer.from(data, 'base64')).results
  return {
    txhash,
    ...{ height, code, codespace, log },
    actions: results.map((action) => ({
      code: action.code,
      ...(action.code === 0 ? {} : { error: errorOf(action.code) }),
      order_seq: String(action.orderSeq),
      filled_lots: String(action.filledLots),
      quote: action.quote.toString(),
    })),
  }
}

/** Throws clob codes for what can never be valid, cli/1, cli/10, cli/19 and cli/20. Exit status 1 for what was refused. */
export const sendActions = async (
  actions: readonly Action[],
  { owner, subaccount }: ActionOptions,
  sender: Sender,
  session: TxSession,
): Promise<void> => {
  const { client, flags, output } = session
  if (!flags.isConfirmed) throw cliError('usage', 'orders are signed without being shown: say --yes')
  const { publicKey, privateKey } = await openSigningKey(sender, session)
  const { node_info: node, sync_info: at } = await head(client)
  requireChain(flags, node.network)
  const sigScheme = publicKey.type === 'secp256k1' ? 3 : 2
  const goodTilBlock = at.latest_block_height + BLOCKS_AHEAD
  const unsigned: ClobTx = {
    owner: owner ?? sender.address,
    agent: owner === undefined || equalBytes(owner, sender.address) ? undefined : sender.address,
    subaccount,
    nonceMs: nonceNear(Date.parse(at.latest_block_time)),
    ...{ goodTilBlock, actions, sigScheme, signature: EMPTY_BYTES },
  }
  const raw = sign(unsigned, node.network, privateKey)
  // What is wrong with it is told here in the words of the chain.
  decodeClobBody(raw)
  const hash = sha256(raw)
  const txhash = bytesToUnprefixedHex(hash).toUpperCase()
  const { code, codespace, log } = await sendOnce(client, raw, txhash, 'sync')
  if (code !== 0) process.exitCode = 1
  if (code !== 0 || flags.waitMs === undefined) return printResult({ txhash, code, codespace, log }, output)
  const shown = shownResult(txhash, await waitForBlock(client, hash, goodTilBlock))
  printResult(shown, output)
  if (shown.code !== 0 || shown.actions.some((action) => action.code !== 0)) process.exitCode = 1
}
