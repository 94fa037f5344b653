/** Requests at the edges of JSON-RPC and of each method's parameters: what the comparison with geth asks. */

const A = '0x00000000000000000000000000000000000000aa'
const H = `0x${'11'.repeat(32)}`
/** Any text that is not hexadecimal in a hash's length. */
const BAD_HASH = `0x${'zz'.repeat(32)}`

const nonStrings = [null, 5, 1.5, true, {}, []]
const addresses = [...nonStrings, '', '0x', '0x1', '0x12', A.slice(2), `0X${A.slice(2)}`, `${A}11`, `0x${'zz'.repeat(20)}`, A.slice(0, -1), `${A.slice(0, -1)}A`]
const hashes = [...nonStrings, '', '0x', '0x1', '0x12', H.slice(2), `0X${H.slice(2)}`, `${H}11`, BAD_HASH, H.slice(0, -1)]
const numbers = [
  ...nonStrings, '', '0x', '0x00', '0x01', 'LATEST', 'Latest', ' latest', 'latest ', '10', '0xg', '0x8000000000000000', '0x7fffffffffffffff',
  '0x10000000000000000', 'newest', '-0x1', '0x-1', 'null', H, '0X0',
]
const numbersOrHashes = [
  ...numbers, BAD_HASH, { blockNumber: 5 }, { blockNumber: '5' }, { blockNumber: '0x00' }, { blockNumber: 'latesT' }, { blockHash: '0x1' }, { blockHash: 5 },
  { blockHash: H, blockNumber: '0x0' }, { requireCanonical: 'x' }, { blockHash: H, requireCanonical: 1 }, { BLOCKHASH: '0x12' }, { unknown: 1 }, { blockNumber: null },
  { blockNumber: '0x8000000000000000' }, [A],
]
const booleans = [null, 0, 'true', {}, [], '']
const quantities = [...nonStrings, '', '0x', '0x0', '0x00', '0x01', '1', '0xg', '0x10000000000000000', `0x1${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`]
const datas = [...nonStrings, '', '0x', '0x1', '00', '0xzz', '0X00']
const optionalTails = (head: readonly unknown[], pool: readonly unknown[]): unknown[][] => pool.map((value) => [...head, value])

const callMembers: Record<string, readonly unknown[]> = {
  from: addresses, to: addresses, gas: quantities, gasPrice: quantities, maxFeePerGas: quantities, maxPriorityFeePerGas: quantities,
  value: quantities, nonce: quantities, data: datas, input: datas, chainId: quantities,
  accessList: [...nonStrings, 'x', [5], [null], [{}], [{ address: A }], [{ storageKeys: [] }], [{ address: A, storageKeys: ['0x1'] }], [{ address: '0x1', storageKeys: [] }], [{ address: A, storageKeys: 5 }], [{ address: A, storageKeys: null }], [{ address: 5, storageKeys: [] }]],
  authorizationList: [
    ...nonStrings, [5], [null], [{}], [{ chainId: '0x1' }], [{ chainId: 5 }], [{ chainId: '0x01' }], [{ chainId: 'x' }], [{ chainId: '0x' }], [{ chainId: '0x1', address: '0x1' }],
    [{ chainId: '0x1', address: A }], [{ chainId: '0x1', address: A, nonce: '0x0' }], [{ chainId: '0x1', address: A, nonce: '0x0', yParity: '0x0' }],
    [{ chainId: '0x1', address: A, nonce: '0x0', yParity: '0x0', r: '0x1' }], [{ chainId: '0x1', address: A, nonce: '1', yParity: '0x0', r: '0x1', s: '0x1' }],
    [{ chainId: `0x1${'0'.repeat(64)}`, address: A }], [{ chainId: '0xzz', address: A }], [{ chainId: '0x1', address: A, nonce: '0x0', yParity: '0x100', r: '0x1', s: '0x1' }],
  ],
  blobVersionedHashes: [5, ['0x1'], null, []], maxFeePerBlobGas: [5, '1'], unknown: [1],
}
const calls: unknown[] = [...nonStrings, '', 'x', [A], { FROM: '0x1' }]
for (const [name, pool] of Object.entries(callMembers)) for (const value of pool) calls.push({ [name]: value })

const overrideMembers: Record<string, readonly unknown[]> = {
  balance: quantities, nonce: quantities, code: datas, movePrecompileToAddress: [5, '0x1', null],
  state: [...nonStrings, { '0x1': H }, { [H]: '0x1' }, { [H]: 5 }, { x: H }, { [H]: null }],
  stateDiff: [5, { '0x1': H }, { [H]: '0x1' }], unknown: [1],
}
const overrides: unknown[] = [...nonStrings, 'x', { x: {} }, { '0x1': {} }, { [A.slice(2)]: {} }, { [A]: null }, { [A]: 5 }, { [A]: [] }, { [`0x${'zz'.repeat(20)}`]: {} }, { '': {} }, { [A]: { state: {}, stateDiff: {} } }]
for (const [name, pool] of Object.entries(overrideMembers)) for (const value of pool) overrides.push({ [A]: { [name]: value } })

const blockOverrides: unknown[] = [...nonStrings, 'x', { beaconRoot: H }, { withdrawals: [] }, { unknown: 1 }, { beaconRoot: '0x1' }, { withdrawals: 5 }]
for (const name of ['number', 'difficulty', 'baseFeePerGas', 'blobBaseFee', 'time', 'gasLimit']) for (const value of [5, '1', '', '0x01', '0x10000000000000000']) blockOverrides.push({ [name]: value })
for (const value of [5, '0x1', 'x']) blockOverrides.push({ feeRecipient: value }, { prevRandao: value }, { coinbase: value })

const criteria: unknown[] = [
  ...nonStrings, 'x', [A], { unknown: 1 }, { blockHash: H, fromBlock: '0x0' }, { blockHash: null, fromBlock: '0x0', toBlock: '0x0' },
  { fromBlock: '0x5', toBlock: '0x1' }, { fromBlock: '0x7ffffffff' }, { FROMBLOCK: 'x' },
]
for (const value of numbers) criteria.push({ fromBlock: value }, { toBlock: value })
for (const value of hashes) criteria.push({ blockHash: value })
for (const value of [5, true, {}, '', '0x', '0x1', '0x12', A.slice(2), '0xzz', [5], [null], ['0x1'], [A, '0x12'], [A, 'x'], [''], [[A]]]) criteria.push({ address: value })
for (const value of [5, true, {}, 'x', ['x'], ['0x1'], ['0x12'], [5], [[5]], [['x']], [[null, 'x']], [['x', null]], [[]], [{}], [[[]]], [null, null, null, null, null], [''], [H, [H, '0x']]]) criteria.push({ topics: value })

const perMethod: Record<string, readonly unknown[][]> = {
  eth_chainId: [[1], [null]],
  eth_blockNumber: [[1], ['latest']],
  eth_syncing: [[1]],
  eth_accounts: [[1]],
  eth_gasPrice: [[null]],
  eth_maxPriorityFeePerGas: [[1]],
  net_version: [[1]],
  net_listening: [[1]],
  net_peerCount: [[1]],
  web3_clientVersion: [[1]],
  rpc_modules: [[1]],
  txpool_status: [[1]],
  txpool_content: [[1]],
  txpool_inspect: [[1]],
  eth_newBlockFilter: [[1]],
  eth_newPendingTransactionFilter: [...booleans.map((value) => [value]), [true, 1], [5]],
  txpool_contentFrom: [[], ...addresses.map((value) => [value]), [A, 1]],
  web3_sha3: [[], ...datas.map((value) => [value]), ['0x', 1]],
  eth_sendRawTransaction: [[], ...datas.slice(0, 9).map((value) => [value]), ['0x', 1]],
  eth_getBalance: [[], [A], ...addresses.map((value) => [value, 'latest']), ...optionalTails([A], numbersOrHashes), [A, 'latest', 1], ['0x1', 'x', 1]],
  eth_getTransactionCount: [[], [A], ['x', 'latest'], [A, 'x'], [A, {}], [A, 'latest', null]],
  eth_getCode: [[], [A], ['x', 'latest'], [A, 'x'], [A, 'latest', null]],
  eth_getStorageAt: [
    [], [A], [A, '0x0'], ['x', '0x0', 'latest'], [A, 5, 'latest'], [A, null, 'latest'], [A, {}, 'latest'], [A, 'zz', 'latest'], [A, '0xz', 'latest'],
    [A, `${H}00`, 'latest'], [A, '0x0', 'x'], [A, '0x0', 'latest', 1], [A, `${H}0`, 'latest'],
  ],
  eth_getBlockByNumber: [[], ['latest'], ...numbers.map((value) => [value, false]), ...optionalTails(['latest'], booleans), ['latest', false, 1]],
  eth_getBlockByHash: [[], [H], ...hashes.map((value) => [value, false]), ...optionalTails([H], booleans), [H, false, 1]],
  eth_getBlockReceipts: [[], ...numbersOrHashes.map((value) => [value]), ['latest', 1]],
  eth_getBlockTransactionCountByHash: [[], ['x'], [5], [H, 1]],
  eth_getBlockTransactionCountByNumber: [[], ['x'], [5], [{}], ['latest', 1]],
  eth_getTransactionByHash: [[], ...hashes.map((value) => [value]), [H, 1]],
  eth_getTransactionReceipt: [[], ...hashes.map((value) => [value]), [H, 1]],
  eth_getTransactionByBlockHashAndIndex: [[], [H], ['x', '0x0'], ...optionalTails([H], quantities), [H, '0x0', 1]],
  eth_getTransactionByBlockNumberAndIndex: [[], ['latest'], ['x', '0x0'], ...optionalTails(['latest'], quantities), ['latest', '0x0', 1]],
  eth_getUncleCountByBlockHash: [[], ['x'], [H], [H, 1]],
  eth_getUncleCountByBlockNumber: [[], ['x'], ['0x7fffffff'], ['latest', 1]],
  eth_getUncleByBlockHashAndIndex: [[], [H], [H, 'x'], [H, '0x0'], ['x', '0x0'], [H, '0x0', 1]],
  eth_getUncleByBlockNumberAndIndex: [[], ['latest'], ['latest', 'x'], ['x', '0x0'], ['latest', '0x0', 1]],
  eth_call: [[], ...calls.map((value) => [value, 'latest']), ...optionalTails([{}], numbersOrHashes), ...optionalTails([{}, 'latest'], overrides), ...optionalTails([{}, 'latest', {}], blockOverrides), [{}, 'latest', {}, {}, 1], [{ gasPrice: '0x1', maxFeePerGas: '0x1' }, 'latest'], [{ data: '0x01', input: '0x02' }, 'latest'], [{ from: A, to: A, gas: 5 }, 'x'], [{ gas: 5, from: 5 }, 'latest'], [{ accessList: 5, from: 5 }, 'latest']],
  eth_estimateGas: [[], [5], [{ from: '0x1' }], [{}, 'x'], [{}, 'latest', 5], [{}, 'latest', {}, 5], [{}, 'latest', {}, {}, 1]],
  eth_feeHistory: [
    [], ['0x1'], ['0x1', 'latest'], ...[...quantities, '0xzz', '1.5', '-1', '0X1', ' 1', '18446744073709551616'].map((value) => [value, 'latest', []]), ...optionalTails(['0x1', 'latest'], [null, 5, 'x', {}, ['x'], [null], [true], ['5'], [[]], [101], [-1], [50, 20]]),
    ['0x1', 'x', []], ['0x1', 5, []], ['0x1', 'latest', [], 1],
  ],
  eth_getLogs: [[], ...criteria.map((value) => [value]), [{}, 1]],
  eth_newFilter: [[], ...[5, null, 'x', { address: 'x' }, { topics: ['x'] }, { fromBlock: 'x' }].map((value) => [value]), [{}, 1]],
  eth_getFilterChanges: [[], ...[...nonStrings, '', 'x', '0x1'].map((value) => [value]), ['0x1', 1]],
  eth_getFilterLogs: [[], ...[...nonStrings, '0x1'].map((value) => [value]), ['0x1', 1]],
  eth_uninstallFilter: [[], ...[...nonStrings, '0x1'].map((value) => [value]), ['0x1', 1]],
  eth_unsubscribe: [[], [5], [null], ['0x1'], ['0x1', 1]],
  eth_subscribe: [[], ['newHeads'], ['nope'], [5]],
  foo_unsubscribe: [['0x1']],
  eth_nope: [[]],
  nope: [[]],
  eth_: [[]],
  Eth_chainId: [[]],
  eth_ChainId: [[]],
}

/** Bodies that concern the envelope. */
const envelopes: readonly string[] = [
  '', ' \n', 'null', '5', '"x"', 'true', '{}', '[]', '[ ]', '[[]]', '[1]', '[1,2]', '[null]', '{', '[', '{]', 'x', 'nulx', '{"a"}', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"',
  '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":null}', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":{}}',
  '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":"x"}', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":5}', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":false}',
  '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":{}}', '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance"}',
  ...['"a"', 'null', 'true', 'false', '1.5', '1.0', '1e3', '-0', '-1', '12345678901234567890', '"\\u0041"', '""', '"é"', '{}', '[]', '{"a":1}', '[1]', '"\\""'].map((id) => `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`),
  ...['"a"', 'null', '{}', '[]', '1.0'].map((id) => `{"jsonrpc":"2.0","id":${id},"method":"eth_nope"}`),
  ...['"1.0"', '2.0', 'null', '""', '"2.00"'].map((version) => `{"jsonrpc":${version},"id":7,"method":"eth_chainId"}`),
  '{"id":7,"method":"eth_chainId"}', '{"method":"eth_chainId"}', '{"jsonrpc":"2.0","method":"eth_chainId"}', '{"jsonrpc":"2.0","method":"eth_nope"}', '{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":1,"method":5}', '{"jsonrpc":"2.0","id":1,"method":null}', '{"jsonrpc":"2.0","id":1,"method":""}', '{"jsonrpc":"2.0","id":1,"method":[]}',
  '{"jsonrpc":"2.0","id":1,"result":5}', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}', '{"jsonrpc":"2.0","id":1,"result":null}', '{"jsonrpc":"2.0","id":1,"result":5,"params":[]}', '{"jsonrpc":"2.0","id":1,"error":null}', '{"jsonrpc":"2.0","id":1,"error":5}', '{"jsonrpc":"2.0","result":5}', '{"id":1,"result":5}',
  '{"JSONRPC":"2.0","ID":1,"METHOD":"eth_chainId"}', '{"jsonrpc":"2.0","id":1,"id":2,"method":"eth_nope","method":"eth_chainId"}', '{"jsonrpc":"2.0","id":1,"ID":2,"method":"eth_nope","Method":"eth_chainId"}',
  '{"jsonrpc":"2.0","id":1,"method":"a","METHOD":"b","method":"eth_chainId"}', '{"jsonrpc":"2.0","id":1,"\\u006dethod":"eth_chainId"}', '{"jsonrpc":"2.0","id":1,"method":"eth_\\u0063hainId"}', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","method":null}', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","id":null}',
  '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","extra":{"a":[1,{"b":"}"}]}}', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"} {"jsonrpc":"2.0","id":2,"method":"eth_chainId"}', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}x', '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}]', '[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}]x', ' \t\r\n{ "jsonrpc" : "2.0" , "id" : 1 , "method" : "eth_chainId" , "params" : [ ] } ',
  '[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{"jsonrpc":"2.0","id":"b","method":"eth_nope"},5,{"jsonrpc":"2.0","method":"eth_chainId"},{},{"jsonrpc":"2.0","id":3,"result":1},{"jsonrpc":"2.0","id":{},"method":"eth_chainId"},{"id":4}]',
  '[{"jsonrpc":"2.0","method":"eth_chainId"}]', '[{"jsonrpc":"2.0","method":"eth_chainId"},{"jsonrpc":"2.0","method":"eth_nope"}]', '[{"jsonrpc":"2.0","id":3,"result":1}]', '[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},', '[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}', '[{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]},{"jsonrpc":"2.0","id":1,"method":"eth_unsubscribe","params":["newHeads"]}]',
  `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(2049)}"}`, `{"jsonrpc":"2.0","id":1,"method":"eth_<>&'\\u2028é\\n"}`,
  `[${Array.from({ length: 1001 }, (_, index) => (index === 0 ? '{"jsonrpc":"2.0","method":"eth_chainId"}' : `{"jsonrpc":"2.0","id":${index},"method":"eth_chainId"}`)).join(',')}]`,
  `[${'5,'.repeat(1000)}5]`, `${'['.repeat(20000)}${']'.repeat(20000)}`,
]

export interface ComparedRequest {
  readonly method: string
  readonly body: string
}

export const comparedRequests = (): ComparedRequest[] => {
  const requests: ComparedRequest[] = envelopes.map((body) => ({ method: '', body }))
  for (const [method, cases] of Object.entries(perMethod)) {
    for (const params of cases) requests.push({ method, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })
  }
  return requests
}
