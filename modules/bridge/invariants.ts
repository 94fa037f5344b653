/** What must hold after every block. */
import { DENOMINATION } from '../../core/amounts.ts'
import type { StateReader } from '../../store/state.ts'
import type { Invariant } from '../module.ts'
import type { BridgeDependencies } from './deps.ts'
import { listDecided, listMinted, listOpen, listRefused, readProgress } from './keeper.ts'
import { MAX_REFUSED, MAX_WAITING, OPEN_WINDOW } from './record.ts'

const supplyFault = (state: StateReader, { ledger }: BridgeDependencies): string | undefined => {
  for (const [denom, minted] of listMinted(state)) {
    const supply = ledger.supply(state, denom)
    if (denom !== DENOMINATION && supply > minted) return `${supply}${denom} are there, and ${minted} were minted`
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

export const bridgeInvariants = (dependencies: BridgeDependencies): readonly Invariant[] => [
  { name: 'bridge/supply-was-minted', check: ({ state }) => supplyFault(state, dependencies) },
  { name: 'bridge/each-id-had-one-turn', check: ({ state }) => idsFault(state) },
  { name: 'bridge/records-are-bounded', check: ({ state }) => recordsFault(state) },
]
