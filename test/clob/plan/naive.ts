/**
 * Obligations and the plan once more, as the document has them: slowly, line by line, with bigints and with ids in hexadecimal. It shares
 * nothing with modules/clob/plan.
 */
import { createHash } from 'node:crypto'

export interface NaiveVote {
  readonly power: bigint
  readonly attestations: Uint8Array
}

export interface NaiveId {
  readonly id: string
  readonly phase: number
  readonly salt: string
  readonly age: number
  readonly isWide: boolean
}

/** A plan looks at no more of a body. */
export interface NaiveBody {
  /** Hash of the wire form. */
  readonly hash: string
  readonly length: number
  /** Null: not statically valid. */
  readonly weight: number | null
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()

export const naiveId = (salt: string, hash: string): string => hex(sha256(Buffer.from(salt + hash, 'hex'))).slice(0, 24)

interface NaiveAttestation {
  readonly phase: number
  readonly id: string
  readonly dt: number
}

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]

export const naiveEncode = (list: readonly NaiveAttestation[]): Uint8Array => {
  if (list.length === 0) return new Uint8Array(0)
  const bytes: number[] = []
  for (const phase of [0, 1, 2]) {
    const own = list
      .filter((each) => each.phase === phase)
      .sort((a, b) => a.dt - b.dt || Buffer.compare(Buffer.from(a.id, 'hex'), Buffer.from(b.id, 'hex')))
    bytes.push(...varint(own.length))
    own.forEach(({ dt }, index) => {
      if (index === 0) bytes.push(...varint(dt >= 0 ? 2 * dt : -2 * dt - 1))
    })
    own.forEach(({ id }) => bytes.push(...Buffer.from(id, 'hex')))
    own.forEach(({ dt }, index) => {
      if (index > 0) bytes.push(...varint(dt - (own[index - 1]?.dt ?? 0)))
    })
  }
  return Uint8Array.from(bytes)
}

/** Reads without any check but the bounds, and compares with what it encodes again. */
export const naiveDecode = (bytes: Uint8Array): readonly NaiveAttestation[] | undefined => {
  if (bytes.length === 0) return []
  let at = 0
  const read = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]
      if (byte === undefined || factor > 2 ** 40) return Number.NaN
      value += (byte % 128) * factor
      if (byte < 128) return value
    }
  }
  const list: NaiveAttestation[] = []
  for (const phase of [0, 1, 2]) {
    const count = read()
    if (!(count <= bytes.length)) return undefined
    if (count === 0) continue
    const zigzag = read()
    let dt = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2
    const ids = Array.from({ length: count }, (_, index) => hex(bytes.subarray(at + 12 * index, at + 12 * index + 12)))
    at += 12 * count
    for (const [index, id] of ids.entries()) {
      if (index > 0) dt += read()
      if (!(Math.abs(dt) <= 30_000) || id.length !== 24) return undefined
      list.push({ phase, id, dt })
    }
  }
  if (new Set(list.map(({ id }) => id)).size !== list.length) return undefined
  return hex(naiveEncode(list)) === hex(bytes) ? list : undefined
}

export interface NaiveObligation extends NaiveId {
  readonly time: number
}

export const naiveObligations = (
  votes: readonly NaiveVote[],
  { total, timeOfH, bucket, salt }: { total: bigint; timeOfH: number; bucket: number; salt: string },
): readonly NaiveObligation[] => {
  const said = votes.flatMap(({ power, attestations }) =>
    (naiveDecode(attestations) ?? []).map((each) => ({ ...each, power })),
  )
  const powerOf = (list: readonly { power: bigint }[]): bigint => list.reduce((sum, { power }) => sum + power, 0n)
  const found: NaiveObligation[] = []
  for (const phase of [0, 1, 2]) {
    for (const id of new Set(said.filter((each) => each.phase === phase).map((each) => each.id))) {
      const attesters = said.filter((each) => each.phase === phase && each.id === id)
      const p = powerOf(attesters)
      if (3n * p <= total || found.some((each) => each.id === id)) continue
      const times = attesters
        .map(({ dt }) => timeOfH + dt)
        .filter((t) => {
          const until = powerOf(attesters.filter(({ dt }) => timeOfH + dt <= t))
          return 3n * until > total && 2n * until > p
        })
      found.push({ id, phase, salt, age: 0, isWide: 3n * p > 2n * total, time: Math.min(...times) })
    }
  }
  const bucketOf = ({ time }: NaiveObligation): number => Math.floor(time / bucket)
  return found.sort((a, b) => a.phase - b.phase || bucketOf(a) - bucketOf(b) || (a.id < b.id ? -1 : 1))
}

export interface NaivePlan {
  /** Ids, in the order of the block. */
  readonly taken: readonly string[]
  readonly missing: NaiveId | undefined
  readonly carried: readonly NaiveId[]
}

const lengthOnWire = (length: number): number => 1 + varint(length).length + length

/** Undefined is INVALID. */
export const naivePlan = (
  list: readonly NaiveId[],
  block: readonly NaiveBody[],
  injected: readonly NaiveBody[],
  limits: { bytes: number; weight: number },
): NaivePlan | undefined => {
  const fits = ({ hash, weight }: NaiveBody, { salt, id }: NaiveId): boolean =>
    weight !== null && naiveId(salt, hash) === id
  const resources = ['bytes', 'weight'] as const
  const most = { bytes: 4_099, weight: 1_000 }
  const quota = (r: (typeof resources)[number], phase: number): number => Math.floor(limits[r] / (phase === 0 ? 2 : 4))
  const used = { bytes: [0, 0, 0], weight: [0, 0, 0] }
  const closed = new Set<number>()
  const taken: string[] = []
  const takenPlaces = new Set<number>()
  let missing: NaiveId | undefined
  let k = 0
  for (const [place, listed] of list.entries()) {
    if (closed.has(listed.phase)) continue
    const isFull = resources.some((r) => {
      let kept = 0
      for (const q of [0, 1, 2]) {
        if (q === listed.phase || closed.has(q)) continue
        const behind = list.slice(place + 1).filter(({ phase }) => phase === q).length
        kept += Math.min(Math.max(0, quota(r, q) - (used[r][q] ?? 0)), most[r] * behind)
      }
      return used[r].reduce((sum, each) => sum + each) + most[r] + kept > limits[r]
    })
    if (isFull) {
      closed.add(listed.phase)
      continue
    }
    const body = block[k]
    if (body === undefined) {
      if (injected.some((each) => fits(each, listed))) return undefined
      missing = listed
      break
    }
    if (!fits(body, listed)) return undefined
    used.bytes[listed.phase] = (used.bytes[listed.phase] ?? 0) + lengthOnWire(body.length)
    used.weight[listed.phase] = (used.weight[listed.phase] ?? 0) + (body.weight ?? 0)
    taken.push(listed.id)
    takenPlaces.add(place)
    k++
  }
  if (k < block.length) return undefined
  const carried = list
    .filter((listed, place) => !takenPlaces.has(place) && (missing !== undefined || listed.age > 0))
    .map((listed) => ({ ...listed, age: listed.age === 0 ? 1 : listed.age + 1 }))
    .filter(({ age }) => age <= 3)
  return { taken, missing, carried }
}
