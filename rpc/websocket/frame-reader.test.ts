import { describe, expect, it } from 'vitest'
import { FrameReader } from './frame-reader.ts'

interface Frame {
  readonly opcode: number
  readonly length: number
  readonly isFinal?: boolean
  readonly isMasked?: boolean
}

const frameOf = ({ opcode, length, isFinal = true, isMasked = true }: Frame): Buffer => {
  const mask = isMasked ? 0x80 : 0
  const first = (isFinal ? 0x80 : 0) | opcode
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head.writeUInt8(first, 0)
  head.writeUInt8(mask | (length < 126 ? length : length < 65_536 ? 126 : 127), 1)
  if (head.length === 4) head.writeUInt16BE(length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
  // No byte of a payload may be taken for the head of a frame.
  return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0), Buffer.alloc(length, 0x89)])
}

const repeated = (frame: Frame, count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => frameOf(frame)))

describe('frames of a client', () => {
  it('are found behind payloads of every kind of length, however they are cut', () => {
    const lengths = [0, 1, 125, 126, 65_535, 65_536, 70_000]
    const messages = Buffer.concat(
      lengths.flatMap((length) => [frameOf({ opcode: 2, length }), frameOf({ opcode: 1, length, isMasked: false })]),
    )
    // With one more ping than is taken behind them, the reader must have kept its place through all.
    const bytes = Buffer.concat([messages, repeated({ opcode: 9, length: 5 }, 100)])
    for (const size of [7, 1_000, 65_536, bytes.length]) {
      const reader = new FrameReader()
      for (let at = 0; at < bytes.length; at += size) expect(reader.read(bytes.subarray(at, at + size))).toBe(true)
      expect(reader.read(repeated({ opcode: 9, length: 5 }, 50))).toBe(false)
    }
  })

  it.each([
    ['pings', { opcode: 9, length: 0 }, 160],
    ['pongs', { opcode: 10, length: 125 }, 160],
    ['fragments of one byte', { opcode: 0, length: 1, isFinal: false }, 600],
    ['first fragments that are empty', { opcode: 1, length: 0, isFinal: false }, 600],
  ])('are too many where they are %s', (_name, frame, count) => {
    expect(new FrameReader().read(repeated(frame, count - 90))).toBe(true)
    expect(new FrameReader().read(repeated(frame, count))).toBe(false)
  })

  it('are welcome where they are whole messages, or fragments of a buffer each', () => {
    const reader = new FrameReader()
    expect(reader.read(repeated({ opcode: 1, length: 20 }, 5_000))).toBe(true)
    expect(reader.read(repeated({ opcode: 0, length: 1_016, isFinal: false }, 5_000))).toBe(true)
  })
})
