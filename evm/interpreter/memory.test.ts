import { describe, expect, it } from 'vitest'
import { Memory } from './memory.ts'

const MEBIBYTE = 1024 * 1024

describe('memory', () => {
  it('is kept from one transaction to the next, and is clear wherever a frame grows into it', () => {
    const memory = new Memory()
    memory.grow(0, 0, 24 * MEBIBYTE)
    const { bytes } = memory
    bytes.fill(0xff)
    memory.release()
    expect(memory.bytes).toBe(bytes)
    expect(memory.grow(0, 0, 100)).toBe(128)
    expect(memory.grow(128, 0, 32)).toBe(32)
    expect([bytes.subarray(0, 160).every((byte) => byte === 0), bytes[160]]).toEqual([true, 0xff])
  })

  it('of more than a call can need is given back', () => {
    const memory = new Memory()
    memory.grow(0, 0, 33 * MEBIBYTE)
    expect(memory.bytes.length).toBe(64 * MEBIBYTE)
    memory.release()
    expect(memory.bytes.length).toBe(65_536)
    expect(memory.view.byteLength).toBe(65_536)
  })

  it('grows without losing what it holds', () => {
    const memory = new Memory()
    memory.grow(0, 0, 32)
    memory.view.setUint32(0, 0xc0ffee)
    memory.grow(0, 32, MEBIBYTE)
    expect(memory.view.getUint32(0)).toBe(0xc0ffee)
  })
})
