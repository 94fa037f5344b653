/** Orders as a client makes them: by packages/clob, and nothing of the node's own code takes part. */
import type { Hex, PrivateKeyAccount } from 'viem'
import { cancelAction, type ClobAction, placeAction, type SignedClobTx, signClobTx } from '../../packages/clob/index.ts'
import { askJsonRpc, CHAIN_ID, EVM_CHAIN_ID, PATIENCE_MS, type TestNode, until } from './harness.ts'

export type SignedAction = ClobAction

export interface Limit {
  readonly market: number
  readonly side: 'buy' | 'sell'
  readonly priceTicks: number
  readonly qtyLots: number
  readonly tif?: 'gtc' | 'ioc' | 'fok' | 'post_only'
  readonly clientId?: Hex
}

/** Also with a price or a size that the package refuses: the node has to refuse it by itself. */
export const place = (limit: Limit): SignedAction => ({
  ...placeAction({ ...limit, priceTicks: 1, qtyLots: 1 }),
  priceTicks: BigInt(limit.priceTicks),
  qtyLots: BigInt(limit.qtyLots),
})

export const cancel = (market: number, clientId: Hex): SignedAction => cancelAction({ market, clientId })

const CHAIN = { nativeChainId: CHAIN_ID, evmChainId: EVM_CHAIN_ID }

interface ChainTime {
  readonly height: number
  readonly timeMs: number
}

/** Time and height of the newest block. */
export const chainTime = async (node: TestNode): Promise<ChainTime> => {
  const { number, timestamp } = await askJsonRpc<{ number: Hex; timestamp: Hex }>(
    node.urls.http,
    'eth_getBlockByNumber',
    'latest',
    false,
  )
  return { height: Number(number), timeMs: Number(timestamp) * 1_000 }
}

let lastNonceMs = 0

/** Signs the actions for the next blocks, and returns what clob_sendOrder takes. */
export const signOrder = (
  account: PrivateKeyAccount,
  actions: readonly SignedAction[],
  { height, timeMs }: ChainTime,
): Promise<SignedClobTx> => {
  lastNonceMs = Math.max(lastNonceMs + 1, timeMs)
  return signClobTx(account, { actions, nonceMs: lastNonceMs, goodTilBlock: height + 20 }, CHAIN)
}

/**
 * Signs with the node's time and sends; a node that was restarted is given the time to catch up. Resolves to the hash, and the
 * height that the node had before.
 */
export const sendOrder = async (
  node: TestNode,
  account: PrivateKeyAccount,
  actions: readonly SignedAction[],
): Promise<{ readonly hash: Hex; readonly sentAt: number }> => {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const time = await chainTime(node)
    const order = await signOrder(account, actions, time)
    try {
      return { hash: await askJsonRpc<Hex>(node.urls.http, 'clob_sendOrder', order), sentAt: time.height }
    } catch (error) {
      if (!String(error).includes('catches up with the network') || performance.now() > deadline) throw error
    }
    await node.untilHeight(time.height + 1)
  }
}

export interface OrderOutcome {
  readonly code: number
  readonly log: string
  /** The outcomes of each action. */
  readonly actions: readonly {
    readonly code: number
    readonly orderSeq: number
    readonly filledLots: number
    readonly quote: bigint
  }[]
  readonly events: readonly { readonly type: string; readonly attributes: readonly { key: string; value: string }[] }[]
}

export interface OrderResult extends OrderOutcome {
  readonly height: number
}

/** The result of a transaction, as CometBFT's `tx` and `block_results` show it. */
export interface CometResult {
  readonly code: number
  readonly log?: string
  readonly data: string | null
  readonly events: OrderOutcome['events']
}

/** A reader of protobuf that knows varints and lengths: what a stranger would write. */
const fieldsOf = (bytes: Buffer): readonly (readonly [field: number, value: number | Buffer])[] => {
  const fields: (readonly [number, number | Buffer])[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * shift
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const value = varint()
    if ((tag & 7) === 2) {
      fields.push([tag >> 3, bytes.subarray(at, at + value)])
      at += value
    } else fields.push([tag >> 3, value])
  }
  return fields
}

const actionOf = (bytes: Buffer): OrderOutcome['actions'][number] => {
  const fields = new Map(fieldsOf(bytes))
  const number = (field: number): number => Number(fields.get(field) ?? 0)
  const quote = fields.get(4)
  return {
    code: number(1),
    orderSeq: number(2),
    filledLots: number(3),
    quote: BigInt(`0x${Buffer.isBuffer(quote) ? quote.toString('hex') : '0'}`),
  }
}

export const outcomeOf = ({ code, log = '', data, events }: CometResult): OrderOutcome => {
  const actions = fieldsOf(Buffer.from(data ?? '', 'base64')).flatMap(([field, value]) =>
    field === 1 && Buffer.isBuffer(value) ? [actionOf(value)] : [],
  )
  return { code, log, actions, events }
}

/** What a block made of the order, as CometBFT shows it. */
export const orderResult = (node: TestNode, hash: Hex, limitMs?: number): Promise<OrderResult> =>
  until(
    `the order ${hash} in a block`,
    async () => {
      const reply = await node
        .comet<{ readonly height: string; readonly tx_result?: CometResult } | undefined>(`tx?hash=${hash}`)
        .catch(() => undefined)
      return reply?.tx_result && { height: Number(reply.height), ...outcomeOf(reply.tx_result) }
    },
    limitMs,
  )
