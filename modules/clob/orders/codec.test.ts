import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../core/hex.ts'
import { CodedError } from '../../../core/errors.ts'
import { sha256 } from '../../../core/hash.ts'
import { clobTx } from '../../../proto/index.ts'
import { type Pick, seededRandom } from '../../../store/testing/seeded-random.ts'
import { type ClobResult, decodeClobResult, encodeClobResult } from './clob-result.ts'
import { decodeClobBody } from './decode-clob-tx.ts'
import { encodeClobTx } from './encode-clob-tx.ts'
import { randomBytes, randomTx, randomUint } from './testing/random-tx.ts'
import {
  type MessageInit,
  messageOf,
  referenceDecode,
  referencePhase,
  referenceWeight,
  wireOf,
} from './testing/reference.ts'

const SEED = Number(process.env['SEED'] ?? 1)

/** Prints the seed and the bytes of a failure. */
const check = (raw: Uint8Array, body: () => void): void => {
  try {
    body()
  } catch (error) {
    process.stderr.write(`failed with SEED=${SEED} on ${bytesToHex(raw)}\n`)
    throw error
  }
}

/** The code of codespace clob, or 0 for what is valid. Anything else that is thrown is a failure. */
const codeOf = (raw: Uint8Array): number => {
  try {
    decodeClobBody(raw)
    return 0
  } catch (error) {
    if (error instanceof CodedError && error.codespace === 'clob' && error.code >= 1 && error.code <= 14) {
      return error.code
    }
    throw error
  }
}

/** Both decoders must agree, on whether it is valid and on every value. */
const compare = (raw: Uint8Array): boolean => {
  const expected = referenceDecode(raw)
  check(raw, () => {
    const code = codeOf(raw)
    expect(code === 0).toBe(expected !== undefined)
    if (expected === undefined) return
    const body = decodeClobBody(raw)
    expect(messageOf(body.tx)).toEqual(expected)
    expect(encodeClobTx(body.tx)).toEqual(raw)
    expect(body.weight).toBe(referenceWeight(expected))
    expect(body.phase).toBe(referencePhase(expected))
    expect(body.hash).toEqual(sha256(raw))
  })
  return expected !== undefined
}

const insert = (bytes: Uint8Array, at: number, more: Uint8Array, drop = 0): Uint8Array =>
  Uint8Array.from([...bytes.subarray(0, at), ...more, ...bytes.subarray(at + drop)])

/** Bytes changed, added, taken away, repeated; integers made longer than they need be. */
const mutateBytes = (pick: Pick, raw: Uint8Array): Uint8Array => {
  const at = 1 + pick(raw.length - 1)
  switch (pick(7)) {
    case 0:
      return insert(raw, at, Uint8Array.of(pick(256)), 1)
    case 1:
      return insert(raw, at, Uint8Array.of((raw[at] ?? 0) ^ (1 << pick(8))), 1)
    case 2:
      return insert(raw, at, randomBytes(pick, 1 + pick(3)))
    case 3:
      return insert(raw, at, new Uint8Array(0), 1 + pick(3))
    case 4:
      return insert(raw, at, Uint8Array.of((raw[at] ?? 0) | 0x80, 0), 1)
    case 5: {
      const length = 1 + pick(30)
      return insert(raw, pick(2) === 0 ? raw.length : at, raw.slice(at, at + length))
    }
    default:
      return raw.slice(0, at)
  }
}

const EDGES = [0n, 1n, 2n, 3n, 4n, 5n, 20n, 50n, 199n, 200n, 201n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n] as const
const WIDE_EDGES = [...EDGES, 2n ** 53n - 1n, 2n ** 53n, 2n ** 56n, 2n ** 63n, 2n ** 64n - 1n] as const

const edge = (pick: Pick): bigint => WIDE_EDGES[pick(WIDE_EDGES.length)] as bigint
const smallEdge = (pick: Pick): number => Number((EDGES[pick(EDGES.length)] as bigint) & 0xffff_ffffn)

const mutatePlace = (pick: Pick, place: clobTx.Place): void => {
  const changes: readonly (() => void)[] = [
    () => (place.market = smallEdge(pick)),
    () => (place.side = (smallEdge(pick) | 0) as clobTx.Side),
    () => (place.priceTicks = edge(pick)),
    () => (place.qtyLots = edge(pick)),
    () => (place.tif = (smallEdge(pick) | 0) as clobTx.Tif),
    () => (place.stp = (smallEdge(pick) | 0) as clobTx.Stp),
    () => (place.clientId = randomBytes(pick, pick(20))),
    () => (place.expireS = edge(pick)),
    () => (place.triggerTicks = edge(pick)),
    () => (place.triggerKind = smallEdge(pick)),
    () => (place.maxFills = smallEdge(pick)),
    () => (place.postOnlyMode = smallEdge(pick)),
    () => (place.builder = randomBytes(pick, pick(3))),
    () => (place.builderFeePpm = smallEdge(pick)),
    () => (place.group = randomBytes(pick, pick(3))),
  ]
  changes[pick(changes.length)]?.()
}

const mutateCancel = (pick: Pick, cancel: clobTx.Cancel): void => {
  const changes: readonly (() => void)[] = [
    () => (cancel.market = smallEdge(pick)),
    () => (cancel.target = { case: 'clientId', value: randomBytes(pick, pick(20)) }),
    () => (cancel.target = { case: 'orderSeq', value: edge(pick) }),
    () => (cancel.target = { case: undefined }),
  ]
  changes[pick(changes.length)]?.()
}

const mutateAction = (pick: Pick, { action }: clobTx.Action): void => {
  if (action.case === 'place') mutatePlace(pick, action.value)
  if (action.case === 'cancel') mutateCancel(pick, action.value)
  if (action.case === 'cancelAll') action.value.side = (smallEdge(pick) | 0) as clobTx.Side
  if (action.case === 'scheduleCancel') action.value.atMs = edge(pick)
  if (action.case !== 'replace') return
  const replace = action.value
  const changes: readonly (() => void)[] = [
    () => delete replace.target,
    () => delete replace.place,
    () => replace.target !== undefined && mutateCancel(pick, replace.target),
    () => replace.place !== undefined && mutatePlace(pick, replace.place),
  ]
  changes[pick(changes.length)]?.()
}

/** One value is another, mostly an edge of some range. */
const mutateMessage = (pick: Pick, message: clobTx.ClobTx): Uint8Array => {
  const [action] = message.actions
  const changes: readonly (() => void)[] = [
    () => (message.version = smallEdge(pick)),
    () => (message.owner = randomBytes(pick, 18 + pick(5))),
    () => (message.subaccount = smallEdge(pick)),
    () => (message.nonceMs = edge(pick)),
    () => (message.goodTilBlock = smallEdge(pick)),
    () => (message.sigScheme = smallEdge(pick)),
    () => (message.signature = randomBytes(pick, 63 + pick(4))),
    () => (message.agent = pick(4) === 0 ? new Uint8Array(20) : randomBytes(pick, pick(22))),
    () => (message.actions = Array.from({ length: pick(60) }, () => message.actions).flat()),
    () => message.actions.push(create(clobTx.ActionSchema)),
  ]
  if (action !== undefined && pick(3) > 0) mutateAction(pick, action)
  else changes[pick(changes.length)]?.()
  return wireOf(message)
}

describe('the codec of transactions of the order book', () => {
  it('agrees with protobuf-es on random transactions', () => {
    const pick = seededRandom(SEED * 1009)
    for (let run = 0; run < 3_000; run++) {
      const tx = randomTx(pick)
      const raw = encodeClobTx(tx)
      check(raw, () => {
        expect(raw).toEqual(wireOf(messageOf(tx)))
        expect(decodeClobBody(raw).tx).toEqual(tx)
      })
      expect(compare(raw)).toBe(true)
    }
  })

  it('agrees with protobuf-es on random transactions with changed bytes', () => {
    const pick = seededRandom(SEED * 2003)
    let valid = 0
    const runs = 10_000
    for (let run = 0; run < runs; run++) {
      let raw = encodeClobTx(randomTx(pick))
      for (let times = pick(3); times >= 0; times--) raw = mutateBytes(pick, raw)
      if (compare(raw)) valid++
    }
    // A changed byte of a signature, an address, a price: both sides of the question are asked often.
    expect(valid).toBeGreaterThan(runs / 20)
    expect(valid).toBeLessThan((runs * 3) / 4)
  })

  it('agrees with protobuf-es on random transactions with changed values', () => {
    const pick = seededRandom(SEED * 3001)
    let valid = 0
    const runs = 10_000
    for (let run = 0; run < runs; run++) if (compare(mutateMessage(pick, messageOf(randomTx(pick))))) valid++
    expect(valid).toBeGreaterThan(runs / 20)
    expect(valid).toBeLessThan((runs * 3) / 4)
  })

  it('refuses random bytes with a code, whatever they are', () => {
    const pick = seededRandom(SEED * 4001)
    let valid = 0
    for (let run = 0; run < 10_000; run++) {
      const raw = randomBytes(pick, pick(200))
      if (pick(4) > 0) raw[0] = 0x70
      if (compare(raw)) valid++
    }
    expect(valid).toBe(0)
  })

  it('keeps nothing of the bytes but the bytes themselves', () => {
    const pick = seededRandom(SEED * 5003)
    for (let run = 0; run < 100; run++) {
      const raw = encodeClobTx(randomTx(pick))
      // The bytes are a part of a larger buffer, as they come from a socket.
      const buffer = Buffer.concat([randomBytes(pick, 7), raw, randomBytes(pick, 7)])
      const { tx } = decodeClobBody(buffer.subarray(7, 7 + raw.length))
      buffer.fill(0xee)
      expect(encodeClobTx(tx)).toEqual(raw)
    }
  })
})

const resultMessage = ({ results, records }: ClobResult): Uint8Array =>
  toBinary(
    clobTx.ClobResultSchema,
    create(clobTx.ClobResultSchema, {
      results: results.map(({ code, orderSeq, filledLots, quote }) => ({
        code,
        orderSeq: BigInt(orderSeq),
        filledLots: BigInt(filledLots),
        quote:
          quote === 0n
            ? new Uint8Array(0)
            : Buffer.from(quote.toString(16).padStart(32, '0'), 'hex').subarray(
                -Math.ceil(quote.toString(16).length / 2),
              ),
      })),
      records,
    }),
  )

describe('the codec of results', () => {
  it('agrees with protobuf-es, and reads what it wrote', () => {
    const pick = seededRandom(SEED * 6007)
    for (let run = 0; run < 2_000; run++) {
      const result: ClobResult = {
        results: Array.from({ length: pick(51) }, () => ({
          code: pick(3) === 0 ? 0 : randomUint(pick, 16_383),
          orderSeq: pick(3) === 0 ? 0 : randomUint(pick, Number.MAX_SAFE_INTEGER),
          filledLots: pick(3) === 0 ? 0 : randomUint(pick, Number.MAX_SAFE_INTEGER),
          quote: pick(3) === 0 ? 0n : BigInt(bytesToHex(randomBytes(pick, 1 + pick(16)))),
        })),
        records: randomBytes(pick, 32),
      }
      const data = encodeClobResult(result)
      expect(data).toEqual(resultMessage(result))
      expect(decodeClobResult(data)).toEqual(result)
      expect(data.length).toBeLessThanOrEqual(34 + 41 * result.results.length)
    }
  })

  it('refuses any other encoding with a code', () => {
    const records = sha256(new Uint8Array(0))
    const good = encodeClobResult({ results: [{ code: 0, orderSeq: 1, filledLots: 0, quote: 5n }], records })
    const bad: readonly Uint8Array[] = [
      good.slice(0, -1),
      Uint8Array.from([...good, 0]),
      encodeClobResult({ results: [], records: records.slice(1) }),
      resultMessage({ results: [], records: new Uint8Array(0) }),
      // A quote with a leading zero, and one of 17 bytes.
      Uint8Array.from([0x0a, 4, 0x22, 2, 0, 1, 0x12, 32, ...records]),
      Uint8Array.from([0x0a, 19, 0x22, 17, ...new Uint8Array(17).fill(1), 0x12, 32, ...records]),
    ]
    for (const data of bad) {
      expect(() => decodeClobResult(data)).toThrow(expect.objectContaining({ codespace: 'clob', code: 2 }))
    }
  })
})

/** Whoever adds a field to the definitions must decide what it means for static validity. */
it('knows every field of the definitions', () => {
  const init: MessageInit = {}
  expect(Object.keys(create(clobTx.ClobTxSchema, init))).toHaveLength(10)
  expect(clobTx.ClobTxSchema.fields.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(clobTx.PlaceSchema.fields.map(({ number }) => number)).toEqual(Array.from({ length: 15 }, (_, at) => at + 1))
})
