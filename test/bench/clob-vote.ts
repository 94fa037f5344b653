/**
 * What a vote says of a full pool of 40,000 orders: processor time of one extension, by the number of owners. A fifth cancel all,
 * three fifths post, a fifth may take. By hand: node test/bench/clob-vote.ts
 */
import { Orders } from '../../app/orders/orders.ts'
import { MAX_POOLED_ORDERS } from '../../app/orders/limits.ts'
import { cancelAll, CHAIN, openWorld, place, post, START_HEIGHT, START_MS } from '../../app/orders/testing/world.ts'
import type { Environment } from '../../app/environment.ts'
import { uint32ToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { Books } from '../../modules/clob/book/books.ts'
import { decodeClobBody, encodeClobTx } from '../../modules/clob/index.ts'
import type { Action } from '../../modules/clob/orders/clob-tx.ts'

const CAP_BYTES = 131_072
const VOTES = 15
const SPREAD_MS = 997
/** Static validity is all that the pool asks of it. */
const SIGNATURE = Uint8Array.of(...new Uint8Array(64).fill(1), 0)

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

const actionOf = (index: number): Action => {
  const kind = index % 10
  if (kind < 2) return cancelAll()
  return kind < 8 ? post({ clientId: uint32ToBytes(index + 1) }) : place()
}

/** A pool that is full, on books in which nobody has an order. */
const openFull = (owners: number) => {
  const world = openWorld({ validators: 1 })
  const books = new Books()
  const silent = (): undefined => undefined
  const environment = {
    clock: { nowMs: () => world.wallMs, wallMs: () => world.wallMs },
    gossip: { offer: silent },
    consensusStatus: () => ({ catchingUp: false, peers: 0, highestHeight: 0 }),
    log: { info: silent, warn: silent, error: silent },
  } as unknown as Environment
  const head = () => ({ chain: CHAIN, state: world.state, books, height: world.height, timeMs: world.timeMs })
  const orders = new Orders({ environment, head, carriedBy: () => [] })
  const addresses = Array.from({ length: owners }, (_, index) => sha256(uint32ToBytes(index)).slice(0, 20))
  for (const address of addresses) world.fund(address, 10n ** 9n)
  for (let index = 0; index < MAX_POOLED_ORDERS; index++) {
    const raw = encodeClobTx({
      owner: addresses[index % owners] ?? new Uint8Array(20),
      subaccount: 0,
      nonceMs: START_MS + index,
      goodTilBlock: START_HEIGHT + 20,
      actions: [actionOf(index)],
      sigScheme: 2,
      agent: undefined,
      signature: SIGNATURE,
    })
    orders.pool.add(decodeClobBody(raw), START_MS - SPREAD_MS - (index % SPREAD_MS), 1)
  }
  return { world, orders }
}

for (const owners of [2_000, MAX_POOLED_ORDERS]) {
  const { world, orders } = openFull(owners)
  const times = Array.from({ length: VOTES }, (_, round) => {
    const block = world.block({ hash: sha256(uint32ToBytes(round)) })
    const from = threadMs()
    orders.section.attest(block, world.chain, 0, CAP_BYTES)
    return threadMs() - from
  })
  const [first = 0] = times
  const median = times.toSorted((a, b) => a - b)[Math.floor(VOTES / 2)] ?? 0
  const name = `${MAX_POOLED_ORDERS} orders of ${owners} owners`
  console.log(`${name}: a vote takes ${median.toFixed(1)} ms of the thread's time, the first ${first.toFixed(1)}`)
}
