/** Attacks on native REST and on CometBFT's RPC: pages without end, searches of everything, transactions of garbage. */
import { type Assault, type Attack, leftMs, pump, scaled } from '../attack.ts'
import { askHttp, batchText, firstError, floodPaths, keptAlive } from '../wire.ts'

const LARGEST = '18446744073709551615'

const PAGES: readonly string[] = [
  `/cosmos/bank/v1beta1/supply?pagination.limit=${LARGEST}`,
  `/cosmos/auth/v1beta1/accounts?pagination.limit=${LARGEST}`,
  `/cosmos/auth/v1beta1/accounts?pagination.offset=${LARGEST}&pagination.limit=1`,
  '/cosmos/auth/v1beta1/accounts?pagination.offset=1000000000&pagination.count_total=true',
  `/cosmos/staking/v1beta1/validators?pagination.limit=${LARGEST}&pagination.key=${'A'.repeat(8_000)}`,
  `/cosmos/gov/v1/proposals?pagination.limit=${LARGEST}&pagination.reverse=true`,
  `/cosmos/base/tendermint/v1beta1/validatorsets/latest?pagination.limit=${LARGEST}`,
  `/cosmos/bank/v1beta1/denom_owners/anat?pagination.limit=${LARGEST}`,
  '/cosmos/auth/v1beta1/accounts/..%2f..%2f..%2fetc%2fpasswd',
  '/../../../../etc/passwd',
  '/swagger/../../../../package.json',
  '/swagger/%2e%2e/%2e%2e/package.json',
  '/cosmos/bank/v1beta1/balances/%00%ff',
  `/cosmos/bank/v1beta1/balances/${'a'.repeat(10_000)}`,
  `/cosmos/bank/v1beta1/supply?${'a=b&'.repeat(3_000)}`,
  `/cosmos/bank/v1beta1/supply?${'a.b.c.d=1&'.repeat(1_400)}`,
  '/cosmos/tx/v1beta1/txs/block/1?pagination.limit=100',
  '/cosmos/base/tendermint/v1beta1/blocks/9223372036854775807',
  '/swagger/openapi.json',
  '/swagger',
]

const search = (query: string, more = ''): string => `/cosmos/tx/v1beta1/txs?query=${encodeURIComponent(query)}${more}`

const SEARCHES: readonly string[] = [
  search('tx.height>0', '&limit=100'),
  search('tx.height>0 AND tx.height<99999999', '&order_by=ORDER_BY_DESC'),
  search("tx.height>0 AND message.action CONTAINS 'a'"),
  search('tx.height>0', '&page=1000000000'),
  search('tx.height EXISTS AND message.sender EXISTS AND transfer.amount EXISTS AND coin_spent.amount EXISTS'),
  search(`a='${'x'.repeat(6_000)}'`),
  search(Array.from({ length: 300 }, () => 'tx.height>0').join(' AND ')),
]

const LATEST: readonly string[] = [
  '/cosmos/base/tendermint/v1beta1/blocks/latest',
  '/cosmos/base/tendermint/v1beta1/node_info',
  '/cosmos/base/tendermint/v1beta1/validatorsets/latest',
]

const COMET: readonly string[] = [
  '/tx_search?query=%22tx.height%3E0%22&per_page=100',
  '/tx_search?query=%22tx.height%3E0%22&per_page=100&order_by=%22desc%22&prove=true',
  '/block_search?query=%22block.height%3E0%22&per_page=100',
  '/genesis',
  '/dump_consensus_state',
  '/blockchain',
  '/unconfirmed_txs?limit=100',
]

/** A transaction of 120 KB that says nothing, which has to be decoded. */
const simulate = async (assault: Assault): Promise<void> => {
  const width = Math.max(3, scaled(assault, 32))
  const agent = keptAlive(width)
  const body = JSON.stringify({ tx_bytes: Buffer.alloc(120_000, 0x0a).toString('base64') })
  await pump(assault, { width }, async () => {
    const url = `${assault.target.rest}/cosmos/tx/v1beta1/simulate`
    const { status, failure } = await askHttp(url, { body, agent, limitMs: leftMs(assault) + 1_000 })
    assault.tally.add(failure ?? `HTTP ${status}`)
  })
  agent.destroy()
}

const garbage = (batch: number): string =>
  batchText(100, (index) => {
    const text = `garbage ${batch} ${index} `.repeat((index % 50) + 1)
    const tx = Buffer.from(text).toString('base64')
    return JSON.stringify({ jsonrpc: '2.0', id: index, method: 'broadcast_tx_sync', params: { tx } })
  })

const sendGarbage = async (assault: Assault): Promise<void> => {
  const agent = keptAlive(16)
  await pump(assault, { count: Math.max(2, scaled(assault, 200)), width: 8 }, async (index) => {
    const reply = await askHttp(assault.target.comet, { body: garbage(index), agent })
    assault.tally.add(reply.failure ?? firstError(reply.text) ?? `HTTP ${reply.status}`)
    assault.tally.add('refused transactions', reply.text.match(/"code":[1-9]/g)?.length ?? 0)
    assault.tally.add('taken transactions', reply.text.match(/"code":0\b/g)?.length ?? 0)
  })
  agent.destroy()
}

const REST = /^(HTTP (200|400|404|408|413|429|500|501|503)|no answer in time|ECONNRESET|socket hang up)$/

export const REST_ATTACKS: readonly Attack[] = [
  {
    name: 'REST: huge pages, deep pages, paths',
    seconds: 10,
    bounded: 'entries of a page, bytes of a target; no path leads to a file',
    outcomes: REST,
    refusal: /^HTTP 400$/,
    run: (assault) => floodPaths(assault, assault.target.rest, Math.max(3, scaled(assault, 32)), PAGES),
  },
  {
    name: 'REST: tx searches that match everything, 64',
    seconds: 15,
    bounded: 'transactions and bytes of a page; searches of CometBFT at once',
    outcomes: REST,
    needsBlocks: true,
    run: (assault) => floodPaths(assault, assault.target.rest, Math.max(3, scaled(assault, 64)), SEARCHES),
  },
  {
    name: 'REST: latest block and block results, 64',
    seconds: 10,
    bounded: 'the turn of each client',
    outcomes: REST,
    run: (assault) => floodPaths(assault, assault.target.rest, Math.max(3, scaled(assault, 64)), LATEST),
  },
  {
    name: 'REST: simulate endless loops, 32',
    seconds: 10,
    bounded: 'bytes of a body, and the turns of clients',
    outcomes: REST,
    refusal: /^HTTP (400|500)$/,
    run: simulate,
  },
]

export const COMET_ATTACKS: readonly Attack[] = [
  {
    name: 'CometBFT: 20,000 garbage transactions',
    seconds: 15,
    bounded: 'what is decoded before a family knows a transaction; CometBFT bounds its batches and bodies',
    outcomes: /^(HTTP 200|refused transactions|taken transactions|-326.*|no answer in time)$/,
    refusal: /^refused transactions$/,
    run: sendGarbage,
  },
  {
    name: 'CometBFT: tx_search and block_search of everything, 32',
    seconds: 12,
    bounded: 'CometBFT bounds pages; a public node has a proxy before it',
    outcomes: /^(HTTP (200|500)|no answer in time)$/,
    needsBlocks: true,
    run: (assault) => floodPaths(assault, assault.target.comet, Math.max(3, scaled(assault, 32)), COMET),
  },
]
