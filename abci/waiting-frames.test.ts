import { describe, expect, it } from 'vitest'
import { WaitingFrames } from './waiting-frames.ts'

const frame = (length: number): Uint8Array => new Uint8Array(length)

describe('frames that wait', () => {
  it('come out in their order, and are counted with their bytes', () => {
    const waiting = new WaitingFrames()
    const frames = [3, 1, 2].map(frame)
    for (const each of frames) waiting.push(each)
    expect([waiting.count, waiting.bytes]).toEqual([3, 6])
    expect(waiting.take()).toBe(frames[0])
    expect([waiting.count, waiting.bytes]).toEqual([2, 3])
    waiting.push(frames[0] as Uint8Array)
    expect([waiting.take(), waiting.take(), waiting.take(), waiting.take()]).toEqual([
      frames[1],
      frames[2],
      frames[0],
      undefined,
    ])
    expect([waiting.count, waiting.bytes, waiting.held]).toEqual([0, 0, 0])
  })

  it('are let go once they were taken, also where some always wait', () => {
    const waiting = new WaitingFrames()
    for (let count = 0; count < 100; count++) waiting.push(frame(1))
    let most = 0
    for (let count = 0; count < 100_000; count++) {
      waiting.push(frame(1))
      waiting.take()
      most = Math.max(most, waiting.held)
    }
    expect(waiting.count).toBe(100)
    expect(most).toBeLessThan(2_000)
  })
})
