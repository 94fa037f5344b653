import { describe, expect, it } from 'vitest'
import { heightsOf } from './height-search.ts'

describe('a search by height', () => {
  it('cuts its conditions to one range', () => {
    expect(heightsOf("tx.height>=5 AND tx.height < '9'")).toEqual({ from: 5, to: 8 })
    expect(heightsOf("tx.height=5 AND message.sender='a'")).toBeUndefined()
  })

  it('is none where it is longer than CometBFT takes: the thread that decides this executes blocks', () => {
    const short = Array.from({ length: 30 }, () => 'tx.height>1').join(' AND ')
    expect(short.length).toBeLessThanOrEqual(512)
    expect(heightsOf(short)).toEqual({ from: 2, to: Number.MAX_SAFE_INTEGER })
    expect(heightsOf(`${short} AND ${short}`)).toBeUndefined()
  })
})
