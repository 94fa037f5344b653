import { describe, expect, it } from 'vitest'
import { Turn } from './turn.ts'

const spin = (ms: number): void => {
  for (const until = performance.now() + ms; performance.now() < until; );
}

describe('the turns of notifications', () => {
  it('are those of all who tell something, one after another', async () => {
    const turn = new Turn()
    const order: string[] = []
    const tell = async (name: string, pieces: number): Promise<void> => {
      for (let piece = 0; piece < pieces; piece++) {
        if (turn.isOver) await turn.next()
        order.push(name)
        spin(1.5)
      }
    }
    await Promise.all([tell('greedy', 6), tell('modest', 1), tell('other', 2)])
    expect(order).toEqual(['greedy', 'modest', 'other', 'greedy', 'other', 'greedy', 'greedy', 'greedy', 'greedy'])
  })

  it('hold many who have little to tell, and leave the event loop to others between them', async () => {
    const turn = new Turn()
    let turns = 0
    let isCounting = true
    const count = (): void => {
      turns++
      if (isCounting) setImmediate(count)
    }
    setImmediate(count)
    let told = 0
    await Promise.all(
      Array.from({ length: 1_000 }, async () => {
        if (turn.isOver) await turn.next()
        turn.notify({ notify: () => told++ }, 'x')
      }),
    )
    isCounting = false
    expect(told).toBe(1_000)
    expect(turns).toBeLessThan(100)
  })

  it('end where sockets were given much', async () => {
    const turn = new Turn()
    await turn.next()
    expect(turn.isOver).toBe(false)
    turn.notify({ notify: () => undefined }, [Buffer.alloc(600_000)])
    expect(turn.isOver).toBe(true)
    await turn.next()
    expect(turn.isOver).toBe(false)
  })
})
