import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Overhead } from './overhead.ts'

const KIB = 1024

describe('bytes that are no message', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  const open = () => {
    const socket = { bytesRead: 0, bytesWritten: 0 }
    return { socket, overhead: new Overhead(socket) }
  }

  it('are too many beyond 128 KiB at once, and 64 KiB a second', () => {
    const { socket, overhead } = open()
    socket.bytesRead += 128 * KIB
    expect(overhead.check()).toBe(true)
    for (let second = 0; second < 60; second++) {
      vi.advanceTimersByTime(1_000)
      socket.bytesRead += 64 * KIB
      expect(overhead.check()).toBe(true)
    }
    socket.bytesRead += 1
    expect(overhead.check()).toBe(false)
  })

  it('are not those of messages, of the headers of calls, and a sixteenth of the answers', () => {
    const { socket, overhead } = open()
    for (let count = 0; count < 1_000; count++) {
      socket.bytesRead += 16 * KIB + 9
      overhead.received(16 * KIB)
      socket.bytesRead += 2 * KIB
      overhead.asked(2 * KIB)
      socket.bytesWritten += 16 * KIB
      socket.bytesRead += KIB
      expect(overhead.check()).toBe(true)
    }
  })

  it('are not what was under way to a call that has ended, for some calls', () => {
    const { socket, overhead } = open()
    for (let count = 0; count < 16; count++) {
      overhead.unread()
      socket.bytesRead += 64 * KIB
      expect(overhead.check()).toBe(true)
    }
    overhead.unread()
    socket.bytesRead += 256 * KIB
    expect(overhead.check()).toBe(false)
  })

  it('cannot be saved up for without bound', () => {
    const { socket, overhead } = open()
    socket.bytesWritten += 1_000_000 * KIB
    expect(overhead.check()).toBe(true)
    socket.bytesRead += 385 * KIB
    expect(overhead.check()).toBe(false)
  })
})
