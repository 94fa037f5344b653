/**
 * Draws what the node has answered. All that comes from the chain is text: it is set as text, never as markup, and links
 * lead to paths of this node alone.
 */
import * as questions from './questions.js'
import { accounts, known, reachable, urls } from './state.js'

const { SHOWN } = questions

/** @typedef {Node | string} Content */

/** @param {string} id */
export const place = (id) => {
  const found = document.getElementById(id)
  if (found === null) throw new TypeError(`the page has no ${id}`)
  return found
}

/** @type {(name: string, contents: readonly Content[], className?: string) => HTMLElement} */
export const element = (name, contents, className = '') => {
  const made = document.createElement(name)
  // What is no node becomes text here, never markup.
  made.append(...contents)
  if (className !== '') made.className = className
  return made
}

/** @type {(path: string, text: string) => HTMLElement} */
const link = (path, text) => {
  const made = element('a', [text])
  made.setAttribute('href', path)
  return made
}

/** @type {(...cells: readonly Content[]) => HTMLElement} */
const row = (...cells) => {
  const made = cells.map((cell) => element('td', [cell]))
  return element('tr', made)
}

/** @type {(...titles: readonly string[]) => HTMLElement} */
const head = (...titles) => {
  const cells = titles.map((title) => {
    const cell = element('th', [title])
    cell.setAttribute('scope', 'col')
    return cell
  })
  return element('tr', cells)
}

/** A row of a table of names and values. @type {(name: string, value: Content) => HTMLElement} */
const named = (name, value) => {
  const cell = element('th', [name])
  cell.setAttribute('scope', 'row')
  return element('tr', [cell, element('td', [value])])
}

/** @param {Date} time */
const clock = (time) => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** What changes is replaced, and nothing else: whoever selects an address keeps the selection. @type {(id: string, made: readonly HTMLElement[]) => void} */
const fill = (id, made) => {
  const shown = place(id)
  made.forEach((each, at) => {
    const old = shown.children[at]
    if (old === undefined) shown.append(each)
    else if (!old.isEqualNode(each)) old.replaceWith(each)
  })
  while (shown.children.length > made.length) shown.lastElementChild?.remove()
}

/** @type {(id: string, text: string) => void} */
export const tell = (id, text) => {
  const shown = place(id)
  if (shown.textContent !== text) shown.textContent = text
}

const showChain = () => {
  const { node, evmChainId, height, times } = known
  const newest = Math.max(...times.keys())
  fill('chain', [
    named('Chain id', node?.chainId ?? ''),
    named('EVM chain id', evmChainId === undefined ? '' : `${evmChainId} (0x${evmChainId.toString(16)})`),
    named('Node', node?.moniker ?? ''),
    named('Height', height === 0 ? '' : link(questions.blockPath(height), String(height))),
    named('Last block', times.size === 0 ? '' : `${clock(times.get(newest) ?? new Date(0))} (block ${newest})`),
  ])
  if (node !== undefined) document.title = `${node.chainId} at ${height}`
}

const showServers = () => {
  const { servers } = known
  const { jsonRpc, comet } = urls()
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
  fill('servers', [
    named('EVM JSON-RPC', jsonRpc || 'not served'),
    named('EVM WebSocket', servers?.webSocket ? `${scheme}://${reachable(servers.webSocket)}` : 'not served'),
    named('Native REST', location.origin),
    named('Native gRPC', servers?.grpc ? reachable(servers.grpc) : 'not served'),
    named('CometBFT RPC', comet),
  ])
  fill('wallet', [
    named('Network name', known.node?.chainId ?? ''),
    named('RPC URL', jsonRpc),
    named('Chain id', known.evmChainId === undefined ? '' : String(known.evmChainId)),
    named('Currency', `NAT, ${questions.NATIVE_DECIMALS} decimals`),
  ])
}

const showBlocks = () => {
  const { height, times, transactions, through } = known
  const oldest = transactions.at(-1)?.height ?? 0
  const heights = Array.from({ length: Math.min(SHOWN.blocks, height) }, (_, index) => height - index)
  const counted = heights.map((each) => {
    const here = transactions.filter((transaction) => transaction.height === each).length
    // Of the oldest block that is in the list there may be more than the list has.
    const isWhole = each <= through && (each > oldest || known.passedOver === 0)
    return row(
      link(questions.blockPath(each), String(each)),
      times.has(each) ? clock(times.get(each) ?? new Date(0)) : '',
      isWhole ? String(here) : here === 0 ? '' : `${here} or more`,
    )
  })
  fill('blocks', [head('Height', 'Time', 'Transactions'), ...counted])
}

const showTransactions = () => {
  const rows = known.transactions.map(({ hash, height, from, what, memo, isFailed, outcome }) => {
    const memos = memo === '' ? [] : [element('br', []), `memo: ${memo}`]
    const told = element('span', [outcome], isFailed ? 'failed' : '')
    return row(
      link(questions.blockPath(height), String(height)),
      link(questions.transactionPath(hash), hash),
      from,
      element('span', [what, ...memos]),
      told,
    )
  })
  fill('transactions', [head('Block', 'Hash', 'From', 'To, or messages', 'Status'), ...rows])
  const { passedOver } = known
  const older = passedOver > 0 ? ` These are the newest ${rows.length}; ${passedOver} older ones are not listed.` : ''
  tell('transactions-note', `${rows.length === 0 ? 'There is none yet.' : ''}${older}`)
}

const showAccounts = () => {
  const rows = accounts().map(([address, native], index) => {
    const amount = known.balances.get(native)
    const told = amount === undefined ? '' : questions.inUnits(amount, questions.NATIVE_DECIMALS)
    return row(`dev${index}`, link(questions.accountPath(native), address), native, told)
  })
  place('accounts-section').hidden = rows.length === 0
  fill('accounts', [head('Name', 'Address', 'The same as bech32', 'NAT'), ...rows])
}

/** @type {(market: questions.Market) => HTMLElement} */
const marketSection = (market) => {
  const [base, quote] = [known.coins.get(market.base), known.coins.get(market.quote)]
  const decimals = { base: base?.decimals ?? 0, quote: quote?.decimals ?? 0 }
  const symbols = { base: base?.symbol ?? market.base, quote: quote?.symbol ?? market.quote }
  /** @param {bigint} ticks */
  const price = (ticks) => questions.priceOf(ticks, market, decimals)
  /** @param {bigint} lots */
  const size = (lots) => questions.inUnits(lots * market.lotSize, decimals.base)
  const { bids = [], asks = [] } = known.depths.get(market.id) ?? {}
  /** @type {(title: string, levels: typeof bids) => HTMLElement} */
  const side = (title, levels) =>
    element('table', [
      head(title, symbols.base),
      ...levels.map(({ ticks, lots }) => row(price(ticks), size(lots))),
      ...(levels.length === 0 ? [row('none', '')] : []),
    ])
  const traded = (known.trades.get(market.id) ?? []).map(({ time, side: taker, ticks, lots }) =>
    row(clock(time), taker, price(ticks), size(lots)),
  )
  const title = element('h3', [
    link(questions.marketPath(market.id), `${market.id}: ${symbols.base}/${symbols.quote}`),
    market.status === 'active' ? '' : ` (${market.status})`,
  ])
  const tables = [
    side(`Bids in ${symbols.quote}`, bids),
    side(`Asks in ${symbols.quote}`, asks),
    element('table', [
      head('Last trades', 'Taker', 'Price', symbols.base),
      ...traded,
      ...(traded.length === 0 ? [row('none', '', '', '')] : []),
    ]),
  ]
  return element('div', [title, element('div', tables, 'market')])
}

const showMarkets = () => {
  const sections = known.markets.map(marketSection)
  place('markets-note').hidden = sections.length > 0
  fill('market-list', sections)
}

const showFailures = () => {
  const [first] = known.failures
  tell('notice', first === undefined ? '' : `${first[0]}: ${first[1]}`)
}

/** Draws all that is known. */
export const show = () => {
  for (const part of [showChain, showServers, showBlocks, showTransactions, showAccounts, showMarkets, showFailures]) {
    part()
  }
}
