/** The read-only gRPC methods of nat.bridge.v1.Query. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { type BridgeEvent, bridgeEventHash } from '../../../core/bridge-event.ts'
import { bytesToKey, equalBytes, readUint32, uint32ToBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { bridge, bridgeQuery } from '../../../proto/index.ts'
import type { StateReader } from '../../../store/state.ts'
import { handleQuery } from '../../handlers.ts'
import type { QueryHandler } from '../../module.ts'
import { takePage } from '../../pages.ts'
import { queryRefusal } from '../../sdk-errors.ts'
import { formatConsensusAddress, parseConsensusAddress } from '../../validator-addresses.ts'
import { dueOf, waitsFor } from '../credit.ts'
import type { BridgeDependencies } from '../deps.ts'
import {
  listDecided,
  listOpen,
  listRefused,
  readDecided,
  readMinted,
  readOpen,
  readParams,
  readProgress,
  readRefused,
} from '../keeper/index.ts'
import type { BridgeParams } from '../params.ts'
import { type DecidedEvent, MAX_REFUSED, type OpenEvent, type RefusedEvent } from '../record.ts'
import { type Powers, powerOf, powersOf } from '../tally.ts'
import { wayBackQueries } from './way-back.ts'
import { printDeposit, printParams } from '../wire.ts'

type ShownEvent = MessageInitShape<typeof bridge.BridgeEventSchema>
const { EventState } = bridge
const NANOSECONDS = 1_000_000_000n

const shownContent = (event: BridgeEvent, { contract }: BridgeParams): ShownEvent => ({
  deposit: printDeposit(event),
  ...(contract === undefined ? {} : { hash: bytesToHex(bridgeEventHash(contract, event)) }),
})

const shownOpen = (id: number, open: OpenEvent, powers: Powers): ShownEvent => ({
  id,
  state: EventState.OPEN,
  candidates: open.map(({ hash, validators, event }) => ({
    hash: bytesToHex(hash),
    power: powerOf({ validators }, powers),
    validators: validators.map(formatConsensusAddress),
    ...(event === undefined ? {} : { deposit: printDeposit(event) }),
  })),
})

const shownDecided = (id: number, decided: DecidedEvent, params: BridgeParams): ShownEvent => {
  if (decided.kind === 'rejected') return { id, state: EventState.REJECTED, reason: decided.reason }
  const due = dueOf(decided, params)
  return {
    id,
    state: EventState.ACCEPTED,
    ...shownContent(decided.event, params),
    acceptedHeight: BigInt(decided.height),
    dueHeight: BigInt(due.height),
    // No block is later within a second.
    dueSeconds: (due.timeNs + NANOSECONDS - 1n) / NANOSECONDS,
  }
}

const shownRefused = (id: number, { reason, event }: RefusedEvent, params: BridgeParams): ShownEvent => ({
  id,
  state: EventState.REFUSED,
  reason,
  ...(event === undefined ? {} : shownContent(event, params)),
})

/** Shows an event that had its turn: refused ones are remembered for a while. */
const shownSettled = (state: StateReader, id: number): ShownEvent => {
  const refused = readRefused(state, id)
  if (refused !== undefined) return shownRefused(id, refused, readParams(state))
  const { refused: count } = readProgress(state)
  const [first] = listRefused(state)
  const isKnown = count === 0 || (first !== undefined && (count <= MAX_REFUSED || id > first[0]))
  return { id, state: isKnown ? EventState.CREDITED : EventState.SETTLED }
}

/** Throws grpc/5 for an event that nobody has spoken of. */
const readEvent = (state: StateReader, id: number, powers: Powers): ShownEvent => {
  const progress = readProgress(state)
  if (id < progress.nextId) return shownSettled(state, id)
  const decided = readDecided(state, id)
  if (decided !== undefined) return shownDecided(id, decided, readParams(state))
  const open = readOpen(state, id)
  if (open.length > 0) return shownOpen(id, open, powers)
  throw queryRefusal(
    'notFound',
    `nobody has acknowledged event ${id}; the next one to be credited is ${progress.nextId}`,
  )
}

/** Decided ones and open ones, which are few and hold none of the ids of the former, by id from `start` on. */
function* listWaiting(state: StateReader, start: number, powers: Powers): Generator<ShownEvent, void> {
  const params = readParams(state)
  const open = [...listOpen(state, start)]
  for (const [id, decided] of listDecided(state, start)) {
    for (let [first] = open; first !== undefined && first[0] < id; [first] = open) {
      yield shownOpen(first[0], first[1], powers)
      open.shift()
    }
    yield shownDecided(id, decided, params)
  }
  for (const [id, each] of open) yield shownOpen(id, each, powers)
}

const idOfKey = (key: Uint8Array | undefined): number => {
  if (key === undefined) return 0
  if (key.length === 4) return readUint32(key)
  throw queryRefusal('invalidArgument', 'invalid pagination key')
}
const keyOfId = ({ id = 0 }: ShownEvent): Uint8Array => uint32ToBytes(id)

const parseValidator = (text: string): Uint8Array => {
  try {
    return parseConsensusAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', `invalid validator address: ${error.message}`)
  }
}

const { method } = bridgeQuery.Query

export const bridgeQueries = ({ votingPowers }: BridgeDependencies): readonly QueryHandler[] => {
  const powersAt = (state: StateReader, height: number): Powers => powersOf(votingPowers(state, height))
  return [
    handleQuery(method.params, ({ state }) => ({ params: printParams(readParams(state)) })),
    handleQuery(method.nextId, ({ state }) => {
      const { nextId, openId, credited, refused, contradictions } = readProgress(state)
      return {
        nextId,
        openId,
        credited: BigInt(credited),
        refused: BigInt(refused),
        contradictions: BigInt(contradictions),
        minted: readMinted(state, readParams(state).denom).toString(),
        waitsFor: waitsFor(state),
      }
    }),
    handleQuery(method.event, ({ state, height }, { id }) => {
      const powers = powersAt(state, height)
      return { event: readEvent(state, id, powers), totalPower: powers.total }
    }),
    handleQuery(
      method.events,
      ({ state, height }, request) => {
        const powers = powersAt(state, height)
        const { items, pagination } = takePage(
          request.pagination,
          (start) => listWaiting(state, idOfKey(start), powers),
          keyOfId,
        )
        return { events: [...items], pagination }
      },
      { isHeavy: true },
    ),
    handleQuery(
      method.refusedEvents,
      ({ state }, request) => {
        const params = readParams(state)
        const list = function* (start: Uint8Array | undefined): Generator<ShownEvent, void> {
          for (const [id, refused] of listRefused(state, idOfKey(start))) yield shownRefused(id, refused, params)
        }
        const { items, pagination } = takePage(request.pagination, list, keyOfId)
        return { events: [...items], pagination }
      },
      { isHeavy: true },
    ),
    handleQuery(method.acknowledgements, ({ state, height }, { validatorAddress }) => {
      const address = parseValidator(validatorAddress)
      const acknowledgements = [...listOpen(state)].flatMap(([id, open]) =>
        open
          .filter(({ validators }) => validators.some((each) => equalBytes(each, address)))
          .map(({ hash }) => ({ id, hash: bytesToHex(hash) })),
      )
      return { acknowledgements, power: powersAt(state, height).of.get(bytesToKey(address)) ?? 0n }
    }),
    ...wayBackQueries,
  ]
}
