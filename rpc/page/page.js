/**
 * The page of a chain: asks the node, one request a second after the first look at everything, and none while nobody
 * looks.
 */
import * as questions from './questions.js'
import { element, place, show, tell } from './show.js'
import { accounts, known, urls } from './state.js'
import { walletsOf } from './wallets.js'

const { SHOWN } = questions
const SECOND_MS = 1_000
/** An answer that takes longer is given up. */
const ANSWER_MS = 10_000
/** The transactions have every so manieth request. */
const TURNS = 3

/** What is asked, and what becomes of the answer. @typedef {() => { path: string, take: (answer: unknown, height: number) => void }} Job */

/** @type {<T>(question: () => questions.Question<T>, take: (value: T, height: number) => void) => Job} */
const job = (question, take) => () => {
  const { path, read } = question()
  return { path, take: (answer, height) => take(read(answer), height) }
}

/** Jobs that wait, by a name: each stands there once. @type {Map<string, Job>} */
const due = new Map()

/** @type {(height: number, time: Date) => void} */
const hearTime = (height, time) => {
  known.times.set(height, time)
  for (const each of known.times.keys()) if (each <= known.height - SHOWN.blocks) known.times.delete(each)
}

const status = job(
  () => questions.status,
  ({ height, time }) => hearTime(height, time),
)

/** @param {string} native */
const balance = (native) =>
  job(
    () => questions.balance(native),
    (amount) => void known.balances.set(native, amount),
  )

/** Asks for the balances of those among the ten accounts that a transaction or a trade names. @param {readonly string[]} changed */
const askBalancesOf = (changed) => {
  const names = new Set(changed.map((each) => each.toLowerCase()))
  for (const [address, native] of accounts()) {
    if (names.has(address.toLowerCase()) || names.has(native)) due.set(native, balance(native))
  }
}

const transactions = job(
  () => questions.transactionsAbove(known.through),
  ({ total, newest }, height) => {
    known.passedOver += total - newest.length
    const all = [...newest, ...known.transactions]
    known.passedOver += Math.max(0, all.length - SHOWN.transactions)
    known.transactions = all.slice(0, SHOWN.transactions)
    for (const { height: at, time } of newest) hearTime(at, time)
    known.through = height
    askBalancesOf(newest.flatMap(({ accounts }) => accounts))
  },
)

/** @param {number} market */
const askTrades = (market) =>
  due.set(
    `trades ${market}`,
    job(
      () => questions.trades(market),
      (trades) => {
        known.trades.set(market, trades)
        askBalancesOf(trades.flatMap(({ accounts }) => accounts))
      },
    ),
  )

/** @type {(market: number) => Job} */
const depth = (market) =>
  job(
    () => questions.depth(market),
    (now) => {
      hearTime(now.height, now.time)
      if (known.depths.get(market)?.sequence !== now.sequence) askTrades(market)
      known.depths.set(market, now)
    },
  )

let healed = 0
/** A contract may send to an account that nothing names: each of the ten is asked again now and then. @type {Job} */
const someBalance = () => {
  const all = accounts()
  const [, native] = all[healed++ % Math.max(1, all.length)] ?? []
  return native === undefined ? status() : balance(native)()
}

/** What is asked again and again, by turns. @type {readonly Job[]} */
let round = [status, someBalance]

/** What is asked once, in this order. @type {readonly (readonly [name: string, job: Job])[]} */
const FACTS = [
  [
    'node',
    job(
      () => questions.node,
      (node) => {
        known.node = node
        for (const [, native] of accounts()) due.set(native, balance(native))
      },
    ),
  ],
  [
    'servers',
    job(
      () => questions.servers,
      (servers) => void (known.servers = servers),
    ),
  ],
  [
    'evm',
    job(
      () => questions.evmChainId,
      (id) => void (known.evmChainId = id),
    ),
  ],
  ['status', status],
  [
    'coins',
    job(
      () => questions.coins,
      (coins) => void (known.coins = coins),
    ),
  ],
  ['transactions', transactions],
  [
    'markets',
    job(
      () => questions.markets,
      (markets) => {
        known.markets = markets
        round = [status, ...markets.map(({ id }) => depth(id)), someBalance]
        for (const { id } of markets) due.set(`depth ${id}`, depth(id))
      },
    ),
  ],
]
for (const [name, fact] of FACTS) due.set(name, fact)

/** Asks once. Settles with the pause until the next request in seconds. @type {(name: string, asked: Job) => Promise<number>} */
const ask = async (name, asked) => {
  const { path, take } = asked()
  const shown = path.replace(/\?.*/, '')
  const retry = (/** @type {string} */ reason) => {
    known.failures.set(shown, reason)
    if (name !== '') due.set(name, asked)
  }
  try {
    const response = await fetch(path, { signal: AbortSignal.timeout(ANSWER_MS) })
    if (!response.ok) {
      retry(`the node answers ${response.status}, and is asked again`)
      return Number(response.headers.get('retry-after') ?? 1)
    }
    const height = Number(response.headers.get('x-cosmos-block-height') ?? 0)
    // The chain began anew: nothing that is shown is of it.
    if (height > 0 && height < known.height - SHOWN.blocks) location.reload()
    known.height = Math.max(known.height, height)
    take(await response.json(), height)
    known.failures.delete(shown)
    return 0
  } catch (error) {
    retry(`${error instanceof Error ? error.message : error}; the node is asked again`)
    return 1
  }
}

/** The first look takes what is due without a pause; what fails again and again does not make it longer. */
const FIRST_LOOK = 50
let isFirstLook = true
let turn = 0
let roundTurn = 0

/** @type {() => readonly [name: string, job: Job]} */
const next = () => {
  turn += 1
  const [first] = due
  isFirstLook &&= first !== undefined && turn <= FIRST_LOOK
  if (!isFirstLook && turn % TURNS === 0) return ['', transactions]
  if (first !== undefined && (isFirstLook || turn % 2 === 0)) {
    due.delete(first[0])
    return first
  }
  return ['', round[roundTurn++ % round.length] ?? status]
}

let isAsking = false
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

const run = async () => {
  if (isAsking || document.hidden) return
  isAsking = true
  const pause = await ask(...next())
  isAsking = false
  const pauseMs = isFirstLook && pause === 0 ? 0 : Math.max(1, pause) * SECOND_MS
  if (!document.hidden) timer = setTimeout(() => void run(), pauseMs)
  show()
}

const wallets = /** @type {import('./wallets.js').Wallets} */ (/** @type {unknown} */ (globalThis))
const buttons = walletsOf(wallets, () => ({
  ...{ chainId: known.node?.chainId ?? '', evmChainId: known.evmChainId ?? 0, rest: location.origin },
  ...urls(),
})).map(([name, add]) => {
  const button = element('button', [`Add to ${name}`])
  button.addEventListener('click', () => {
    add().then(
      () => tell('wallet-answer', `${name} has the network.`),
      (error) => tell('wallet-answer', `${name} refuses: ${error instanceof Error ? error.message : String(error)}`),
    )
  })
  return button
})
place('wallet-buttons').replaceChildren(...buttons)

document.addEventListener('visibilitychange', () => {
  clearTimeout(timer)
  void run()
})
void run()
