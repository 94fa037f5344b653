/** What must hold after every block. */
import { DENOMINATION } from '../../core/amounts.ts'
import { equalBytes } from '../../core/bytes.ts'
import { treeRoot } from '../../core/withdrawal-tree.ts'
import type { StateReader } from '../../store/state.ts'
import type { Invariant } from '../module.ts'
import type { BridgeDependencies } from './deps.ts'
import {
  listBurned,
  listDecided,
  listMinted,
  listOpen,
  listRefused,
  listWayBack,
  listWithdrawals,
  nodesOf,
  readBurned,
  readProgress,
  readRoots,
  readSet,
} from './keeper/index.ts'
import { MAX_REFUSED, MAX_WAITING, OPEN_WINDOW } from './record.ts'
import { isSigned } from './signing-set.ts'

const supplyFault = (state: StateReader, { ledger }: BridgeDependencies): string | undefined => {
  for (const [denom, minted] of listMinted(state)) {
    const supply = ledger.supply(state, denom)
    const burned = readBurned(state, denom)
    if (burned > minted) return `${burned}${denom} were burned, and ${minted} were minted`
    if (denom !== DENOMINATION && supply > minted - burned) {
      return `${supply}${denom} are there, ${minted} were minted and ${burned} burned`
    }
  }
  return undefined
}

const idsFault = (state: StateReader): string | undefined => {
  const { nextId, openId, credited, refused, remembered } = readProgress(state)
  if (nextId !== credited + refused) return `${nextId} events had their turn, ${credited} and ${refused} are counted`
  if (openId < nextId || openId > nextId + MAX_WAITING + OPEN_WINDOW) return `openId ${openId} beside nextId ${nextId}`
  if (remembered > refused || remembered > MAX_REFUSED) return `${remembered} refused events are remembered`
  return undefined
}

const recordsFault = (state: StateReader): string | undefined => {
  const { nextId, openId, remembered } = readProgress(state)
  const decided = new Set<number>()
  for (const [id] of listDecided(state)) decided.add(id)
  for (const id of decided)
    if (id < nextId || id >= openId + OPEN_WINDOW) return `event ${id} is decided, out of bounds`
  for (let id = nextId; id < openId; id++) if (!decided.has(id)) return `event ${id} is not decided`
  if (decided.has(openId)) return `event ${openId} is decided and open`
  for (const [id, open] of listOpen(state)) {
    if (id < openId || id >= openId + OPEN_WINDOW || decided.has(id)) return `event ${id} must not be open`
    if (open.some(({ validators }) => validators.length === 0)) return `event ${id} has a hash of nobody`
  }
  const refused = [...listRefused(state)].length
  return refused === remembered ? undefined : `${refused} refused events are there, ${remembered} are counted`
}

const sum = (amounts: Iterable<bigint>): bigint => {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}

/** What was minted and not burned is what the contracts hold for withdrawals. */
const heldFault = (state: StateReader): string | undefined => {
  const minted = sum([...listMinted(state)].map(([, amount]) => amount))
  const burned = sum([...listBurned(state)].map(([, amount]) => amount))
  const held = sum([...listWayBack(state)].map(([, wayBack]) => wayBack.held))
  return minted - burned === held ? undefined : `${minted} minted less ${burned} burned are not the ${held} held`
}

const withdrawalsFault = (state: StateReader): string | undefined => {
  const amounts = new Map<string, bigint>()
  for (const [contract, { size, setNonce }] of listWayBack(state)) {
    let next = 0
    for (const [id, { denom, amount }] of listWithdrawals(state, contract)) {
      if (id !== next++) return `withdrawal ${next - 1} is missing`
      amounts.set(denom, (amounts.get(denom) ?? 0n) + amount)
    }
    if (next !== size) return `${next} withdrawals are there, ${size} are counted`
    const { pending, signed } = readRoots(state, contract)
    if ((pending?.nonce ?? setNonce) !== setNonce) return `a root waits for set ${pending?.nonce}, and not ${setNonce}`
    if ((signed?.size ?? 0) > size || (pending?.size ?? 0) > size) return 'a root has more withdrawals than there are'
    for (const root of [pending, signed]) {
      const set = root && readSet(state, contract, root.nonce)
      if (root === undefined) continue
      if (set === undefined) return `set ${root.nonce} is missing`
      if (isSigned(set, root.signatures) !== (root === signed)) return 'a root is signed and pending'
      if (!equalBytes(treeRoot(root.size, nodesOf(state, contract)), root.root)) return 'a root is not that of the tree'
    }
  }
  for (const [denom, burned] of listBurned(state)) {
    if (amounts.get(denom) !== burned) return `${burned}${denom} were burned, and ${amounts.get(denom)} withdrawn`
  }
  return undefined
}

export const bridgeInvariants = (dependencies: BridgeDependencies): readonly Invariant[] => [
  { name: 'bridge/supply-was-minted', check: ({ state }) => supplyFault(state, dependencies) },
  { name: 'bridge/each-id-had-one-turn', check: ({ state }) => idsFault(state) },
  { name: 'bridge/minted-less-burned-is-held', check: ({ state }) => heldFault(state) },
  { name: 'bridge/withdrawals-are-in-the-tree', check: ({ state }) => withdrawalsFault(state) },
  { name: 'bridge/records-are-bounded', check: ({ state }) => recordsFault(state) },
]
