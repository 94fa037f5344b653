import { create } from '@bufbuild/protobuf'
import { sizeDelimitedEncode } from '@bufbuild/protobuf/wire'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '../core/bytes.ts'
import { CodedError } from '../core/errors.ts'
import { abci } from '../proto/index.ts'
import { ABCI_CODES, isProtocolError } from './errors.ts'
import { createFrameDecoder, encodeFrame, encodeVarint } from './frames.ts'
import { createRandom, type Random } from './testing/random.ts'

const FUZZ_RUNS = 2_000

const decodeAll = (chunks: readonly Uint8Array[], maxFrameBytes?: number): Uint8Array[] => {
  const decoder = createFrameDecoder(maxFrameBytes)
  return chunks.flatMap((chunk) => [...decoder.push(chunk)])
}

/** The code of what `run` throws; undefined when it does not. */
const codeOf = (run: () => unknown): number | undefined => {
  try {
    run()
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(CodedError)
    expect(isProtocolError(error)).toBe(true)
    return (error as CodedError).code
  }
}

const splitAtRandom = (bytes: Uint8Array, random: Random): Uint8Array[] => {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + random.next(40)
    chunks.push(bytes.subarray(at, end))
    at = end
  }
  return chunks
}

describe('frames', () => {
  it('are the size-delimited messages of protobuf', () => {
    for (const length of [0, 1, 120, 127, 128, 300, 16_383, 16_384, 70_000]) {
      const message = create(abci.RequestCheckTxSchema, { tx: new Uint8Array(length).fill(7) })
      const frame = sizeDelimitedEncode(abci.RequestCheckTxSchema, message)
      const [body, ...rest] = decodeAll([frame])
      expect(rest).toEqual([])
      expect(encodeFrame(body ?? new Uint8Array(1))).toEqual(frame)
    }
  })

  it('may be split at every byte', () => {
    const bodies = [Uint8Array.of(1), new Uint8Array(0), new Uint8Array(300).fill(2), Uint8Array.of(3, 4)]
    const stream = concatBytes(...bodies.map(encodeFrame))
    for (let at = 0; at <= stream.length; at++) {
      expect(decodeAll([stream.subarray(0, at), stream.subarray(at)])).toEqual(bodies)
    }
    expect(decodeAll(Array.from(stream, (byte) => Uint8Array.of(byte)))).toEqual(bodies)
  })

  it('come out as they went in, however they are split', () => {
    const random = createRandom(1)
    for (let run = 0; run < FUZZ_RUNS; run++) {
      const bodies = Array.from({ length: random.next(8) }, () => random.bytes(random.next(200)))
      const stream = concatBytes(...bodies.map(encodeFrame))
      expect(decodeAll(splitAtRandom(stream, random)), `seed 1, run ${run}`).toEqual(bodies)
    }
  })

  it('that are cut off yield only the whole ones before', () => {
    const stream = concatBytes(encodeFrame(Uint8Array.of(1, 2)), encodeFrame(new Uint8Array(9)))
    for (let length = 0; length < stream.length; length++) {
      expect(decodeAll([stream.subarray(0, length)])).toEqual(length < 3 ? [] : [Uint8Array.of(1, 2)])
    }
  })

  it('over the limit are refused before their body arrives, after the frames before them', () => {
    const decoder = createFrameDecoder(100)
    const frames: Uint8Array[] = []
    const input = concatBytes(encodeFrame(new Uint8Array(100)), encodeVarint(101))
    const push = (): void => {
      for (const frame of decoder.push(input)) frames.push(frame)
    }
    expect(codeOf(push)).toBe(ABCI_CODES.frameTooLarge)
    expect(frames).toEqual([new Uint8Array(100)])
    expect(codeOf(push)).toBe(ABCI_CODES.frameTooLarge)
    expect(frames).toHaveLength(1)
  })

  it('with a length that never ends are malformed, with a huge one too large', () => {
    const endless = [...Array<number>(10).fill(0x80), 0]
    expect(codeOf(() => decodeAll([Uint8Array.from(endless)]))).toBe(ABCI_CODES.malformedLength)
    expect(codeOf(() => decodeAll([new Uint8Array(10).fill(0xff)]))).toBe(ABCI_CODES.frameTooLarge)
  })

  it('of garbage are frames or typed errors, never anything else', () => {
    const random = createRandom(2)
    let refused = 0
    for (let run = 0; run < FUZZ_RUNS; run++) {
      const garbage = splitAtRandom(random.bytes(1 + random.next(400)), random)
      const decoder = createFrameDecoder(200)
      const code = codeOf(() => {
        for (const chunk of garbage) for (const frame of decoder.push(chunk)) expect(frame.length).toBeLessThan(201)
      })
      if (code !== undefined) refused++
    }
    expect(refused).toBeGreaterThan(FUZZ_RUNS / 10)
    expect(refused).toBeLessThan(FUZZ_RUNS)
  })
})
