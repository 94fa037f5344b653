/** Orders as a client makes them: viem signs the typed data of docs/clob-spec.md, and nothing of the node's own code takes part. */
import { type Hex, type PrivateKeyAccount, sha256, stringToBytes, type TypedDataDefinition } from 'viem'
import { askJsonRpc, CHAIN_ID, EVM_CHAIN_ID, type TestNode, until } from './harness.ts'

const ACTION = [
  { name: 'kind', type: 'string' },
  { name: 'market', type: 'uint32' },
  { name: 'side', type: 'string' },
  { name: 'priceTicks', type: 'uint64' },
  { name: 'qtyLots', type: 'uint64' },
  { name: 'tif', type: 'string' },
  { name: 'stp', type: 'string' },
  { name: 'clientId', type: 'bytes' },
  { name: 'expireS', type: 'uint64' },
  { name: 'triggerTicks', type: 'uint64' },
  { name: 'triggerKind', type: 'string' },
  { name: 'maxFills', type: 'uint32' },
  { name: 'postOnlyMode', type: 'string' },
  { name: 'targetClientId', type: 'bytes' },
  { name: 'targetSeq', type: 'uint64' },
  { name: 'keepPriority', type: 'bool' },
  { name: 'atMs', type: 'uint64' },
] as const

const TYPES = {
  ClobTx: [
    { name: 'owner', type: 'address' },
    { name: 'agent', type: 'address' },
    { name: 'subaccount', type: 'uint32' },
    { name: 'nonceMs', type: 'uint64' },
    { name: 'goodTilBlock', type: 'uint32' },
    { name: 'actions', type: 'Action[]' },
  ],
  Action: ACTION,
} as const

const NOTHING = {
  market: 0,
  side: '',
  priceTicks: '0',
  qtyLots: '0',
  tif: '',
  stp: '',
  clientId: '0x' as Hex,
  expireS: '0',
  triggerTicks: '0',
  triggerKind: '',
  maxFills: 0,
  postOnlyMode: '',
  targetClientId: '0x' as Hex,
  targetSeq: '0',
  keepPriority: false,
  atMs: '0',
}

export type SignedAction = typeof NOTHING & { readonly kind: string }

export interface Limit {
  readonly market: number
  readonly side: 'buy' | 'sell'
  readonly priceTicks: number
  readonly qtyLots: number
  readonly tif?: 'gtc' | 'ioc' | 'fok' | 'post_only'
  readonly clientId?: Hex
}

export const place = ({ market, side, priceTicks, qtyLots, tif = 'gtc', clientId = '0x' }: Limit): SignedAction => ({
  ...NOTHING,
  ...{ kind: 'place', market, side, priceTicks: `${priceTicks}`, qtyLots: `${qtyLots}`, tif, clientId },
  ...{ stp: 'cancel_maker', triggerKind: 'none', postOnlyMode: 'reject' },
})

export const cancel = (market: number, clientId: Hex): SignedAction => ({
  ...NOTHING,
  ...{ kind: 'cancel', market, targetClientId: clientId },
})

const DOMAIN = {
  name: 'nat clob',
  version: '1',
  chainId: EVM_CHAIN_ID,
  salt: sha256(stringToBytes(CHAIN_ID)),
} as const

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
export const signOrder = async (
  account: PrivateKeyAccount,
  actions: readonly SignedAction[],
  { height, timeMs }: ChainTime,
) => {
  lastNonceMs = Math.max(lastNonceMs + 1, timeMs)
  const message = {
    owner: account.address,
    agent: '0x0000000000000000000000000000000000000000' as Hex,
    subaccount: 0,
    nonceMs: `${lastNonceMs}`,
    goodTilBlock: height + 20,
    actions,
  }
  // viem reads integers from decimal text, too, though its types ask for bigint.
  const typed = { domain: DOMAIN, types: TYPES, primaryType: 'ClobTx', message } as unknown as TypedDataDefinition
  const signature = await account.signTypedData(typed)
  return { message, signature }
}

/** Signs with the node's time and sends. Resolves to the hash, and the height that the node had before. */
export const sendOrder = async (
  node: TestNode,
  account: PrivateKeyAccount,
  actions: readonly SignedAction[],
): Promise<{ readonly hash: Hex; readonly sentAt: number }> => {
  const time = await chainTime(node)
  const order = await signOrder(account, actions, time)
  return { hash: await askJsonRpc<Hex>(node.urls.http, 'clob_sendOrder', order), sentAt: time.height }
}

export interface OrderOutcome {
  readonly code: number
  readonly log: string
  /** Of each action. */
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

/** Of a transaction, as CometBFT's `tx` and `block_results` show it. */
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
