/** Messages over WebSocket whose replies are compared with geth's: broken JSON, and parameters of subscriptions. */

const H = `0x${'11'.repeat(32)}`

export const malformedTexts: readonly string[] = [
  '', ' ', '{', '[', '{"', '{"a', '{"a"', '{"a":', '{"a":1', '{"a":1,', '[1', '[1,', '"abc', '"a\\', '"\\u12', 'tru', 'nul', '-', '1.', '1e', '1e+',
  'hello', 'x', '{x', '{1', '{"a"x', '{"a" 1', '{"a":x', '{"a":1 x', '{"a":1 "b"', '{"a":1,}', '{"a":1,x', '{,', '[,', '[1 2', '[1,]', '[1 x', ']', '}', ',', ':',
  'trux', 'nulx', 'falsy', 'tx', '"a\n"', '"a\tb"', '"\\x"', '"\\u12g4"', '"\\uzzzz"', '"\u0001"', '-x', '-a', '1.x', '1.e', '1ex', '1e+x', '01', '00', '1x', '-01', '1.5.5', '1e5e',
  '"a"x', 'truex', 'nullnull', 'é', '日本', '\u007f', "'a'", '"abc\u0007', '{"a":\'b\'}', '[\u00a0]', '\\', '{"a":01}', '[tru]', '[nul}', '{"a":tru,', '{"a":"b}', '{"a":"\\q"}', '// x', '+1', '.5', 'NaN', 'Infinity',
  '{"jsonrpc":"2.0","id":1,"method":"eth_chainId",}', '{jsonrpc:"2.0"}', "{'jsonrpc':'2.0'}", '{"jsonrpc":"2.0" "id":1}', `${'['.repeat(10001)}`, '[[[]]x', '[{}x', '[{"a":[]}}', '[{"a":{}]]',
  '\ufeff{}', '{"\\u00zz":1}', '[1,2,3', '[true false]', '{"a":{"b":1]}', '\v', '[\f]', '"\\', '"\\u', '--1', '1..2', '1e--2', '-.5', '{"a":-}',
]

const subscriptions: readonly (readonly [string, unknown])[] = [
  ['eth_subscribe', []], ['eth_subscribe', undefined], ['eth_subscribe', {}], ['eth_subscribe', null], ['eth_subscribe', 'newHeads'], ['eth_subscribe', [5]], ['eth_subscribe', [null]], ['eth_subscribe', [{}]], ['eth_subscribe', [[]]],
  ['eth_subscribe', ['nope']], ['eth_subscribe', ['newheads']], ['eth_subscribe', ['']], ['eth_subscribe', ['a"b']], ['eth_subscribe', ['newHeads', 1]], ['eth_subscribe', ['newHeads', null]], ['eth_subscribe', ['newHeads', {}]],
  ['eth_subscribe', ['newPendingTransactions', 5]], ['eth_subscribe', ['newPendingTransactions', 'true']], ['eth_subscribe', ['newPendingTransactions', true, 1]], ['eth_subscribe', ['logs']], ['eth_subscribe', ['logs', 5]], ['eth_subscribe', ['logs', 'x']], ['eth_subscribe', ['logs', {}, 1]],
  ['eth_subscribe', ['logs', { address: 'x' }]], ['eth_subscribe', ['logs', { address: [5] }]], ['eth_subscribe', ['logs', { topics: ['x'] }]], ['eth_subscribe', ['logs', { topics: [null, null, null, null, null] }]], ['eth_subscribe', ['logs', { topics: [5] }]],
  ['eth_subscribe', ['logs', { fromBlock: '0x1', toBlock: '0x0' }]], ['eth_subscribe', ['logs', { fromBlock: 'pending' }]], ['eth_subscribe', ['logs', { toBlock: 'pending' }]], ['eth_subscribe', ['logs', { fromBlock: 'latest', toBlock: '0x1' }]], ['eth_subscribe', ['logs', { fromBlock: 'safe' }]],
  ['eth_subscribe', ['logs', { toBlock: 'finalized' }]], ['eth_subscribe', ['logs', { toBlock: 'earliest' }]], ['eth_subscribe', ['logs', { fromBlock: 'x' }]], ['eth_subscribe', ['logs', { address: Array(1001).fill(`0x${'11'.repeat(20)}`) }]], ['eth_subscribe', ['logs', { topics: [Array(1001).fill(H)] }]], ['eth_subscribe', ['logs', { blockHash: H, fromBlock: '0x1' }]],
  ['eth_subscribe', ['transactionReceipts', 5]], ['eth_subscribe', ['transactionReceipts', { transactionHashes: ['x'] }]], ['eth_subscribe', ['transactionReceipts', { transactionHashes: 5 }]], ['eth_subscribe', ['transactionReceipts', { transactionHashes: Array(201).fill(H) }]], ['eth_subscribe', ['transactionReceipts', {}, 1]], ['eth_subscribe', ['syncing', 1]],
  ['net_subscribe', ['newHeads']], ['foo_subscribe', ['newHeads']], ['_subscribe', ['newHeads']], ['eth_unsubscribe', []], ['eth_unsubscribe', ['0x1']], ['eth_unsubscribe', [5]], ['eth_unsubscribe', ['0x1', 2]], ['foo_unsubscribe', ['0x1']], ['eth_unsubscribe', {}],
]

export const subscriptionTexts: readonly string[] = subscriptions.map(([method, params]) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
)

/** Of these only the shape of the reply is the same: an id. */
export const acceptedTexts: readonly string[] = [
  ['newHeads'], ['newPendingTransactions'], ['newPendingTransactions', null], ['newPendingTransactions', true], ['logs', {}], ['logs', null], ['logs', { fromBlock: '0x1' }], ['logs', { fromBlock: 'earliest' }],
  ['logs', { fromBlock: '0x1', toBlock: 'latest' }], ['logs', { blockHash: H }], ['logs', { topics: [[null, 'x']] }], ['syncing'], ['transactionReceipts'], ['transactionReceipts', null], ['transactionReceipts', {}],
].map((params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }))

export interface Conversation {
  readonly sent: string
  /** The first message that came back; null when the line was cut without one. */
  readonly reply: string | null
  readonly cut: boolean
}
