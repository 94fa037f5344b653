import { beforeEach, describe, expect, test } from 'vitest'
import type { Announcement } from '../app/ports.ts'
import { createHeadTracker, type HeadTracker, type ReachableApplication } from './head.ts'
import { createMemoryApplication, exampleHead, type MemoryApplication } from './testing/memory-application.ts'

let application: MemoryApplication
let tracker: HeadTracker
let told: (number | string)[]

const listen = (source: ReachableApplication): void => {
  told = []
  tracker = createHeadTracker(source)
  tracker.subscribe((news) => {
    if (news.type !== 'pending') told.push(news.type === 'head' ? news.head.height : news.reason)
  })
}

/** Shows a head as an application does that was out of reach meanwhile. */
const showHead = (height: number, isNew = false): void =>
  application.announce({ type: 'head', head: exampleHead(height), isNew })

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

beforeEach(() => {
  application = createMemoryApplication(7)
  application.answers.heads = ({ from, to }) =>
    JSON.stringify(Array.from({ length: to - from + 1 }, (_, index) => exampleHead(from + index)))
  listen(application)
})

describe('a head is announced', () => {
  test('when its block was committed, not because a gateway has just learned of it', () => {
    const listeners = new Set<(announcement: Announcement) => void>()
    // Out of reach: nothing is told at once.
    listen({ ...application, subscribe: (listener) => (listeners.add(listener), () => {}) })
    const announce = (height: number, isNew: boolean): void => {
      for (const listener of listeners) listener({ type: 'head', head: exampleHead(height), isNew })
    }
    announce(7, false)
    expect(tracker.current().head.height).toBe(7)
    expect(told).toEqual([])
    announce(8, true)
    expect(told).toEqual([8])
  })

  test('once, however often it is told', () => {
    application.commit()
    showHead(8)
    showHead(8, true)
    application.commit()
    expect(told).toEqual([8, 9])
  })

  test('in order, with those that were committed while the application was out of reach', async () => {
    showHead(10)
    application.commit()
    expect(tracker.current().head.height).toBe(11)
    await settled()
    application.commit()
    expect(told).toEqual([8, 9, 10, 11, 12])
    expect(application.asked.map(({ name, parameters }) => [name, parameters])).toEqual([['heads', { from: 8, to: 9 }]])
  })

  test('behind a word that some are missing, when they are not there any more or too many', async () => {
    application.answers.heads = () => '[]'
    showHead(9)
    await settled()
    expect(told).toEqual(['blocks 8 to 8 are not here', 9])
    showHead(2_000)
    await settled()
    expect(told.slice(2)).toEqual(['1990 blocks were missed', 2_000])
  })

  test('again when a rolled back chain comes to another block', () => {
    application.commit()
    showHead(5)
    application.commit()
    expect(told).toEqual([8, 6])
  })
})
