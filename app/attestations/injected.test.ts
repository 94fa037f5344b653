import { describe, expect, it } from 'vitest'
import { concatBytes, EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { proposalBytes } from '../../core/proposal-bytes.ts'
import { capBytes } from '../../modules/clob/plan/index.ts'
import { verifyExtensionSignature } from '../../core/vote-extension.ts'
import { makeTorsionedValidator, makeValidator, type Validator } from '../../test/sim/validators.ts'
import type { ExtendedVote } from '../ports.ts'
import { encodeInjected, readInjected } from './injected.ts'

const HEIGHT = 42
const ROUND = 1
const CHAIN_ID = 'localnat-1'
const ROOM = 8_000_000

const honest = [10n, 10n, 10n].map((power, index) => makeValidator(`honest ${index}`, power))
const torsioned = makeTorsionedValidator('torsioned', 10n)
const VALIDATORS = [...honest, torsioned]

const context = (validators: readonly Validator[] = VALIDATORS) => ({
  chainId: CHAIN_ID,
  height: HEIGHT,
  lastCommitRound: ROUND,
  validators,
  capBytes: capBytes(512 * 1024, validators.length),
  verify: verifyExtensionSignature,
})

const voteOf = (validator: Validator, extension: Uint8Array = EMPTY_BYTES): ExtendedVote => ({
  validatorAddress: validator.address,
  power: validator.power,
  flag: 'commit',
  extension,
  extensionSignature: validator.sign({ extension, height: HEIGHT - 1, round: ROUND, chainId: CHAIN_ID }),
})

const inject = (votes: readonly ExtendedVote[], maxTxBytes = ROOM, validators?: readonly Validator[]) =>
  encodeInjected(votes, { ...context(validators), maxTxBytes })

/** What is wrong with it, or undefined. */
const judge = (raw: Uint8Array, lastCommit: readonly ExtendedVote[], validators?: readonly Validator[]) => {
  const read = readInjected(raw, { ...context(validators), lastCommit })
  return typeof read === 'string' ? read : undefined
}

/** `count` of a set as large as it is named, of which each has the same power. */
const manyVotes = (count: number, bytes: (index: number) => number) => {
  const validators = Array.from({ length: count }, (_, index) => makeValidator(`many ${index}`, 1n))
  return { validators, votes: validators.map((each, index) => voteOf(each, new Uint8Array(bytes(index)))) }
}

describe('what a proposer injects', () => {
  it('holds every vote whose signature is valid by ZIP-215, and every other node takes it', () => {
    const votes = [
      voteOf(honest[0] as Validator, utf8ToBytes('said')),
      ...VALIDATORS.slice(1).map((each) => voteOf(each)),
    ]
    const { raw, leftOut } = inject(votes) ?? { raw: EMPTY_BYTES, leftOut: -1 }
    expect(leftOut).toBe(0)
    expect(judge(raw, votes)).toBeUndefined()
  })

  const third = honest.at(-1) as Validator
  const faulty: Readonly<Record<string, ExtendedVote>> = {
    'that is signed for another height': {
      ...voteOf(third),
      extensionSignature: third.sign({ extension: EMPTY_BYTES, height: HEIGHT, round: ROUND, chainId: CHAIN_ID }),
    },
    'without a signature': { ...voteOf(third, utf8ToBytes('said')), extensionSignature: EMPTY_BYTES },
    'with a longer signature': { ...voteOf(third), extensionSignature: new Uint8Array(65) },
    'that is too long': voteOf(third, new Uint8Array(128 * 1024 + 1)),
    'that came late, with 1 MiB of what nobody has verified': {
      ...voteOf(third, new Uint8Array(1024 * 1024)),
      extensionSignature: EMPTY_BYTES,
    },
    'of a stranger': { ...voteOf(makeValidator('a stranger', 10n)) },
  }
  it.each(Object.entries(faulty))('leaves out a vote %s, and every other node takes the rest', (_, vote) => {
    const votes = VALIDATORS.map((each) => (each === third ? vote : voteOf(each)))
    const { raw, leftOut } = inject(votes) ?? { raw: EMPTY_BYTES, leftOut: -1 }
    expect(leftOut).toBe(1)
    expect(judge(raw, votes)).toBeUndefined()
  })

  it('is what there is where two thirds have not signed, and every node refuses it', () => {
    const votes = VALIDATORS.map((each, index) =>
      index < 2 ? { ...voteOf(each), extensionSignature: EMPTY_BYTES } : voteOf(each),
    )
    const { raw, leftOut } = inject(votes) ?? { raw: EMPTY_BYTES, leftOut: -1 }
    expect(leftOut).toBe(2)
    expect(judge(raw, votes)).toBe('vote extensions of 20 of 40 power, two thirds are needed')
  })

  it('never takes more than max_tx_bytes, and is valid as long as two thirds fit', () => {
    const { validators, votes } = manyVotes(7, (index) => 10 * index)
    const whole = inject(votes, ROOM, validators)?.raw ?? EMPTY_BYTES
    let smallest: number | undefined
    for (let room = proposalBytes(whole.length); room >= 0; room--) {
      const injected = inject(votes, room, validators)
      if (injected === undefined) continue
      expect(proposalBytes(injected.raw.length), `of ${room}`).toBeLessThanOrEqual(room)
      const fault = judge(injected.raw, votes, validators)
      expect(fault === undefined, fault).toBe(injected.leftOut <= 2)
      if (injected.leftOut === 2) smallest = room
    }
    // Five votes of 0 to 40 bytes with their signatures, two empty ones, the byte of the family and the version.
    expect(smallest).toBe(proposalBytes(1 + 2 + 5 * 68 + (10 + 20 + 30 + 40) + 4 * 2 + 2 * 2))
    expect(inject(votes, 0, validators)).toBeUndefined()
    expect(inject(votes, proposalBytes(3 + 7 * 2), validators)?.leftOut).toBe(7)
    expect(inject(votes, proposalBytes(3 + 7 * 2) - 1, validators)).toBeUndefined()
  })

  it('fits with the longest extensions of any set into 3 MiB, which the consensus parameters leave at least', () => {
    for (const count of [1, 4, 100, 256, 257, 1_000]) {
      const cap = capBytes(512 * 1024, count)
      const vote = 4 + cap + (2 + 64)
      expect(proposalBytes(3 + count * proposalBytes(vote)), `${count} votes of ${cap} bytes`).toBeLessThan(3 * 2 ** 20)
    }
  })
})

describe('an injected transaction', () => {
  const votes = VALIDATORS.map((each) => voteOf(each, utf8ToBytes(`of ${each.power}`)))
  const raw = inject(votes)?.raw ?? EMPTY_BYTES
  const NOT_CANONICAL = 'vote extensions are not in their canonical encoding'
  const at = (...bytes: readonly number[]): Uint8Array => Uint8Array.of(...bytes)
  // 0x71, then field 1 (version 1), then field 2 for each vote: { 1 extension, 2 signature }.
  const version = raw.subarray(1, 3)
  const firstLength = 2 + (raw[4] as number)
  const first = raw.subarray(3, 3 + firstLength)
  const rest = raw.subarray(3 + firstLength)
  const extension = first.subarray(2, 4 + (first[3] as number))
  const signature = first.subarray(2 + extension.length)
  const build = (...parts: readonly Uint8Array[]): Uint8Array => concatBytes(at(0x71), ...parts)

  it('is put together here as the proposer does it', () => {
    expect(build(version, at(0x12, first.length - 2), extension, signature, rest)).toEqual(raw)
    expect(judge(raw, votes)).toBeUndefined()
  })

  const encodings: Readonly<Record<string, Uint8Array>> = {
    'an unknown field': build(version, first, rest, at(0x1a, 0x00)),
    'an unknown field of a vote': build(version, at(0x12, first.length), extension, signature, at(0x18, 0x01), rest),
    'a varint that is longer than it must be': build(at(0x08, 0x81, 0x00), first, rest),
    'a length that is longer than it must be': build(
      version,
      at(0x12, (first.length - 2) | 0x80, 0x00),
      first.subarray(2),
      rest,
    ),
    'the fields of a vote in another order': build(version, at(0x12, first.length - 2), signature, extension, rest),
    'the version last': build(first, rest, version),
    'the version twice': build(version, version, first, rest),
    'a field of a vote twice': build(version, at(0x12, first.length), at(0x0a, 0x00), extension, signature, rest),
  }
  it.each(Object.entries(encodings))('with %s is refused', (_, encoded) => {
    expect(judge(encoded, votes)).toBe(NOT_CANONICAL)
  })

  it('that is longer than its votes can be is refused before it is decoded', () => {
    const padded = concatBytes(raw, new Uint8Array(4 * 128 * 1024 + 200_000))
    expect(judge(padded, votes)).toMatch(/^vote extensions of \d+ bytes, more than \d+$/)
  })

  it('with hundreds of thousands of votes is refused before they are decoded', () => {
    const empty = Uint8Array.from({ length: 2 * 250_000 }, (_, index) => (index % 2 === 0 ? 0x12 : 0))
    const many = concatBytes(raw.subarray(0, 3), empty)
    expect(judge(many, votes)).toBe(`vote extensions for more than ${votes.length} votes`)
    // Nor does it help to begin with something else.
    expect(judge(concatBytes(raw.subarray(0, 1), empty), votes)).toBe(NOT_CANONICAL)
    expect(judge(concatBytes(raw.subarray(0, 3), Uint8Array.of(0x18, 0x01), empty), votes)).toBe(NOT_CANONICAL)
  })

  it('of votes that pass the limit is refused', () => {
    const long = VALIDATORS.map((each) => voteOf(each, new Uint8Array(100_000)))
    const encoded = inject(long)?.raw ?? EMPTY_BYTES
    expect(judge(encoded, long)).toBeUndefined()
    // The cap is the one that state holds: a budget that was lowered, or a larger set, makes it shorter.
    const { validators, ...rest } = context()
    expect(readInjected(encoded, { ...rest, validators, capBytes: 100_000, lastCommit: long })).toBeTypeOf('object')
    expect(readInjected(encoded, { ...rest, validators, capBytes: 99_999, lastCommit: long })).toBe(
      'vote extension 0 has more than 99999 bytes',
    )
  })
})
