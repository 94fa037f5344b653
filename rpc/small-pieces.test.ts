import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SmallPieces } from './small-pieces.ts'

/** How many of `count` pieces are taken before the first that is not. */
const takenOf = (pieces: SmallPieces, count: number, bytes: number): number => {
  for (let index = 0; index < count; index++) if (!pieces.take(bytes)) return index
  return count
}

describe('small pieces', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('are too many after five hundred at once', () => {
    expect(takenOf(new SmallPieces(), 10_000, 1)).toBe(516)
  })

  it('are never too many where they are of a size that a buffer has', () => {
    expect(takenOf(new SmallPieces(), 100_000, 128)).toBe(100_000)
    expect(takenOf(new SmallPieces(), 100_000, 1_024)).toBe(100_000)
  })

  it('are forgiven with time', () => {
    const pieces = new SmallPieces()
    expect(takenOf(pieces, 500, 0)).toBe(500)
    vi.advanceTimersByTime(1_000)
    expect(takenOf(pieces, 1_000, 0)).toBe(268)
    for (let second = 0; second < 60; second++) {
      vi.advanceTimersByTime(1_000)
      expect(takenOf(pieces, 250, 0)).toBe(250)
    }
  })
})
