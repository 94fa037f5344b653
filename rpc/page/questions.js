/**
 * What the page asks the REST port, and what it reads of the answers. It runs as it stands, in browsers and in the
 * tests, which ask the same questions of a real node: there is no build.
 */

/**
 * A path of this node, and what is read of its answer. Reading throws an {@link UnexpectedAnswer}.
 * @template T
 * @typedef {{ readonly path: string, readonly read: (answer: unknown) => T }} Question
 */

/** What a node answers that the page cannot read. */
export class UnexpectedAnswer extends Error {}

/** @type {(value: unknown, names: readonly string[]) => unknown} */
const member = (value, names) =>
  names.reduce((/** @type {unknown} */ inner, name) => {
    if (typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)) {
      return /** @type {Readonly<Record<string, unknown>>} */ (inner)[name]
    }
    throw new UnexpectedAnswer(`the answer has no member ${names.join('.')}`)
  }, value)

/** @type {(value: unknown, ...names: readonly string[]) => string} */
const text = (value, ...names) => {
  const found = member(value, names)
  if (typeof found === 'string') return found
  throw new UnexpectedAnswer(`${names.join('.')} of the answer is no text`)
}

/** @type {(value: unknown, ...names: readonly string[]) => readonly unknown[]} */
const list = (value, ...names) => {
  const found = member(value, names)
  if (Array.isArray(found)) return found
  throw new UnexpectedAnswer(`${names.join('.')} of the answer is no list`)
}

/** Numbers of 64 bits are texts in JSON. @type {(value: unknown, ...names: readonly string[]) => bigint} */
const whole = (value, ...names) => {
  const found = member(value, names)
  if ((typeof found === 'string' && /^-?\d+$/.test(found)) || Number.isSafeInteger(found)) {
    return BigInt(/** @type {string | number} */ (found))
  }
  throw new UnexpectedAnswer(`${names.join('.')} of the answer is no whole number`)
}

/** @type {(value: unknown, ...names: readonly string[]) => number} */
const count = (value, ...names) => Number(whole(value, ...names))

/** @type {(value: unknown, name: string) => string | undefined} */
const address = (value, name) => (member(value, [name]) === null ? undefined : text(value, name))

const NATIVE = 'anat'
export const NATIVE_DECIMALS = 18
/** The page shows so many of each, and asks for no more. */
export const SHOWN = { blocks: 10, transactions: 20, markets: 8, levels: 5, trades: 5 }

/** Ports of the gateway, as `host:port`; those that are not served are left out. */
export const servers = {
  path: '/page/servers.json',
  /** @param {unknown} answer */
  read: (answer) => ({
    jsonRpc: address(answer, 'json_rpc'),
    webSocket: address(answer, 'websocket'),
    grpc: address(answer, 'grpc'),
  }),
}

export const node = {
  path: '/cosmos/base/tendermint/v1beta1/node_info',
  /** @param {unknown} answer */
  read: (answer) => ({
    chainId: text(answer, 'default_node_info', 'network'),
    moniker: text(answer, 'default_node_info', 'moniker'),
    cometbft: text(answer, 'default_node_info', 'other', 'rpc_address').replace(/^tcp:\/\//, ''),
  }),
}

export const evmChainId = {
  path: '/cosmos/evm/vm/v1/config',
  /** @param {unknown} answer */
  read: (answer) => count(answer, 'config', 'chain_id'),
}

export const status = {
  path: '/cosmos/base/node/v1beta1/status',
  /** @param {unknown} answer */
  read: (answer) => ({ height: count(answer, 'height'), time: new Date(text(answer, 'timestamp')) }),
}

/**
 * Symbols and decimals of the coins, by denomination.
 * @type {Question<ReadonlyMap<string, { readonly symbol: string, readonly decimals: number }>>}
 */
export const coins = {
  path: '/cosmos/bank/v1beta1/denoms_metadata?pagination.limit=100',
  read: (answer) =>
    new Map(
      list(answer, 'metadatas').map((coin) => {
        const [base, symbol, display] = [text(coin, 'base'), text(coin, 'symbol'), text(coin, 'display')]
        const unit = list(coin, 'denom_units').find((each) => text(each, 'denom') === display)
        return [base, { symbol: symbol || base, decimals: unit === undefined ? 0 : count(unit, 'exponent') }]
      }),
    ),
}

/** @type {(address: string) => Question<bigint>} */
export const balance = (of) => ({
  path: `/cosmos/bank/v1beta1/balances/${encodeURIComponent(of)}/by_denom?denom=${NATIVE}`,
  read: (answer) => whole(answer, 'balance', 'amount'),
})

/** @typedef {ReturnType<typeof readMarket>} Market */
/** @param {unknown} market */
const readMarket = (market) => ({
  id: count(market, 'id'),
  base: text(market, 'base_denom'),
  quote: text(market, 'quote_denom'),
  lotSize: whole(market, 'lot_size'),
  factor: whole(market, 'factor'),
  status: text(market, 'settings', 'status')
    .replace(/^MARKET_STATUS_/, '')
    .toLowerCase(),
})

export const markets = {
  path: `/nat/clob/v1/markets?pagination.limit=${SHOWN.markets}`,
  /** @param {unknown} answer */
  read: (answer) => list(answer, 'markets').map(readMarket),
}

/** @param {unknown} level */
const readLevel = (level) => ({ ticks: whole(level, 'price_ticks'), lots: whole(level, 'lots') })

/** The best levels of each side; `sequence` grows with every change of the book. @param {number} market */
export const depth = (market) => ({
  path: `/nat/clob/v1/markets/${market}/depth?levels=${SHOWN.levels}`,
  /** @param {unknown} answer */
  read: (answer) => ({
    height: count(answer, 'height'),
    time: new Date(count(answer, 'time_ms')),
    sequence: text(answer, 'sequence'),
    bids: list(answer, 'bids').map(readLevel),
    asks: list(answer, 'asks').map(readLevel),
  }),
})

/** @param {number} market */
export const trades = (market) => ({
  path: `/nat/clob/v1/markets/${market}/trades?limit=${SHOWN.trades}`,
  /** @param {unknown} answer */
  read: (answer) =>
    list(answer, 'trades').map((trade) => ({
      height: count(trade, 'height'),
      time: new Date(count(trade, 'time_ms')),
      ticks: whole(trade, 'price_ticks'),
      lots: whole(trade, 'lots'),
      side: text(trade, 'taker_side')
        .replace(/^SIDE_/, '')
        .toLowerCase(),
      accounts: [text(trade, 'maker'), text(trade, 'taker')],
    })),
})

/** @type {(encoded: string) => Uint8Array} */
const fromBase64 = (encoded) => Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))

/** @type {(bytes: Uint8Array) => string} */
const hex = (bytes) => `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** Where the contents of an RLP item begin and end. @type {(bytes: Uint8Array, at: number) => [number, number]} */
const itemAt = (bytes, at) => {
  const first = bytes[at] ?? 0
  if (first < 0x80) return [at, at + 1]
  const kind = first < 0xc0 ? 0x80 : 0xc0
  if (first <= kind + 55) return [at + 1, at + 1 + first - kind]
  const start = at + 1 + first - kind - 55
  const length = bytes.subarray(at + 1, start).reduce((sum, byte) => sum * 256 + byte, 0)
  return [start, start + length]
}

/** Fields before the receiver, by the type of an Ethereum transaction; 0 is one without a type. */
const BEFORE_RECEIVER = new Map([
  [0, 3],
  [1, 4],
  [2, 5],
  [3, 5],
  [4, 5],
])

/** Finds the receiver of a signed Ethereum transaction; undefined where it creates a contract. @param {Uint8Array} raw */
const receiverOf = (raw) => {
  const first = raw[0] ?? 0
  const type = first < 0x80 ? first : 0
  let [at] = itemAt(raw, first < 0x80 ? 1 : 0)
  for (let field = BEFORE_RECEIVER.get(type) ?? 0; field > 0; field--) [, at] = itemAt(raw, at)
  const [start, end] = itemAt(raw, at)
  return start === end ? undefined : hex(raw.subarray(start, end))
}

/** @type {(response: unknown, type: string, key: string) => readonly string[]} */
const attributes = (response, type, key) =>
  list(response, 'events')
    .filter((event) => text(event, 'type') === type)
    .flatMap((event) => list(event, 'attributes'))
    .filter((each) => text(each, 'key') === key)
    .map((each) => text(each, 'value'))

/** A transaction may have thousands of messages. */
const MAX_CHARACTERS = 200
/** @type {(long: string) => string} */
const inShort = (long) => (long.length > MAX_CHARACTERS ? `${long.slice(0, MAX_CHARACTERS)}…` : long)

const ETHEREUM = '/cosmos.evm.vm.v1.MsgEthereumTx'

/**
 * @typedef {object} Transaction
 * @property {string} hash
 * @property {number} height
 * @property {Date} time
 * @property {string} from
 * @property {string} what The receiver, or the kinds of the messages.
 * @property {string} memo
 * @property {boolean} isFailed
 * @property {string} outcome
 * @property {readonly string[]} accounts Whose balances it has changed, as far as it says so.
 */

/** @type {(response: unknown) => Transaction} */
const readTransaction = (response) => {
  const messages = list(response, 'tx', 'body', 'messages')
  const [first] = messages
  const kinds = messages.map((message) => text(message, '@type'))
  const [code, height] = [count(response, 'code'), count(response, 'height')]
  const time = new Date(text(response, 'timestamp'))
  const memo = text(response, 'tx', 'body', 'memo')
  const reason = text(response, 'raw_log') || `${text(response, 'codespace')}/${code}`
  if (kinds[0] === ETHEREUM) {
    const isFailed = code !== 0 || attributes(response, 'ethereum_tx', 'ethereumTxFailed').length > 0
    const [from, to] = [hex(fromBase64(text(first, 'from'))), receiverOf(fromBase64(text(first, 'raw')))]
    return {
      hash: attributes(response, 'ethereum_tx', 'ethereumTxHash')[0] ?? text(response, 'txhash'),
      from,
      what: to ?? 'creates a contract',
      outcome: isFailed ? 'reverted' : 'done',
      accounts: to === undefined ? [from] : [from, to],
      ...{ height, time, memo, isFailed },
    }
  }
  return {
    hash: text(response, 'txhash'),
    from: attributes(response, 'message', 'sender')[0] ?? '',
    what: inShort(kinds.map((kind) => kind.slice(kind.lastIndexOf('.') + 1)).join(', ')),
    isFailed: code !== 0,
    outcome: code === 0 ? 'done' : `failed: ${inShort(reason)}`,
    accounts: [...attributes(response, 'coin_spent', 'spender'), ...attributes(response, 'coin_received', 'receiver')],
    ...{ height, time, memo },
  }
}

/**
 * The newest transactions above a height, the newest first, and how many there are.
 * @param {number} height
 */
export const transactionsAbove = (height) => ({
  path: `/cosmos/tx/v1beta1/txs?query=tx.height%3E${height}&order_by=ORDER_BY_DESC&limit=${SHOWN.transactions}`,
  /** @param {unknown} answer */
  read: (answer) => ({
    total: count(answer, 'total'),
    newest: list(answer, 'tx_responses').map(readTransaction),
  }),
})

/** Where the details of a transaction are shown. @param {string} hash */
export const transactionPath = (hash) => `/cosmos/tx/v1beta1/txs/${encodeURIComponent(hash)}`
/** @param {number} height */
export const blockPath = (height) => `/cosmos/base/tendermint/v1beta1/blocks/${height}`
/** @param {string} of */
export const accountPath = (of) => `/cosmos/auth/v1beta1/accounts/${encodeURIComponent(of)}`
/** @param {number} market */
export const marketPath = (market) => `/nat/clob/v1/markets/${market}`

/** Writes an amount of the smallest unit in the display unit, exactly. @type {(amount: bigint, decimals: number) => string} */
export const inUnits = (amount, decimals) => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`
}

/** A price that no decimal number is has so many places. */
const PRICE_PLACES = 18

/**
 * Display units of quote for one of base: a tick is `factor` of the smallest quote unit for a lot.
 * @type {(ticks: bigint, market: Market, decimals: { readonly base: number, readonly quote: number }) => string}
 */
export const priceOf = (ticks, { factor, lotSize }, { base, quote }) => {
  const scaled = (ticks * factor * 10n ** BigInt(base + PRICE_PLACES)) / (lotSize * 10n ** BigInt(quote))
  return inUnits(scaled, PRICE_PLACES)
}

/**
 * The accounts of every devnet, those of the mnemonic that all tools of Ethereum know: both forms of their addresses.
 * @type {readonly (readonly [address: string, native: string])[]}
 */
export const DEVNET_ACCOUNTS = [
  ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', 'nat17w0adeg64ky0daxwd2ugyuneellmjgnxffcuk5'],
  ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'nat1wzvhjux9rqfdcwspp37srdgwp5tac7wgpzurzj'],
  ['0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', 'nat183zvmhdk4yq0526cthffncpaztay9yau3zkh8v'],
  ['0x90F79bf6EB2c4f870365E785982E1f101E93b906', 'nat1jrmehaht938cwqm9u7zestslzq0f8wgx6mhjtr'],
  ['0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65', 'nat1zhf54t65ye7m047rv7pe4tm35q9zc6n96jsfzs'],
  ['0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc', 'nat1n9j4qlg62k7vy62utzapd7ehmqvmpfxuu7qyr2'],
  ['0x976EA74026E726554dB657fA54763abd0C3a0aa9', 'nat1jah2wspxuun92ndk2la9ga36h5xr5z4fwvf97x'],
  ['0x14dC79964da2C08b23698B3D3cc7Ca32193d9955', 'nat1znw8n9jd5tqgkgmf3v7ne372xgvnmx24s32qcz'],
  ['0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f', 'nat1ydscaq0r7hxl0a2v84jl077q406my8500prlfz'],
  ['0xa0Ee7A142d267C1f36714E4a8F75612F20a79720', 'nat15rh859pdye7p7dn3fe9g7atp9us209eqteaxaf'],
]
