import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { RequestsAhead } from './requests-ahead.ts'

/** A connection as far as it is looked at: its requests arrive together, and are answered one by one. */
class Connection {
  readonly socket = Object.assign(new EventEmitter(), { remoteAddress: '10.0.0.1', destroyed: false })
  readonly #responses: EventEmitter[] = []
  readonly #ahead: RequestsAhead
  begun = 0

  constructor(ahead: RequestsAhead) {
    this.#ahead = ahead
  }

  /** How many of them were let in. */
  arrive(count: number): number {
    const socket = this.socket as unknown as Socket
    const request = { socket } as IncomingMessage
    for (let arrived = 0; arrived < count; arrived++) {
      const response = new EventEmitter()
      if (!this.#ahead.arrive(socket, response as ServerResponse)) return arrived
      this.#responses.push(response)
      this.#ahead.begin(() => this.begun++, request, response as ServerResponse)
    }
    return count
  }

  answer(): void {
    this.#responses.shift()?.emit('close')
  }

  close(): void {
    this.socket.destroyed = true
    this.socket.emit('close')
  }
}

test('requests begin when those before them were answered', () => {
  const connection = new Connection(new RequestsAhead())
  expect([connection.arrive(3), connection.begun]).toEqual([3, 1])
  connection.answer()
  connection.answer()
  expect(connection.begun).toBe(3)
  connection.answer()
  expect([connection.arrive(1), connection.begun]).toEqual([1, 4])
})

test('whatever became of connections, their client has all that it may have when they are gone', () => {
  const ahead = new RequestsAhead()
  for (let round = 0; round < 50; round++) {
    const connections = Array.from({ length: 6 }, () => new Connection(ahead))
    const arrived = connections.map((connection, index) => connection.arrive(80 + index * 7))
    expect(arrived.slice(0, 5)).toEqual([80, 87, 94, 101, 101])
    for (const [index, connection] of connections.entries()) {
      for (let answered = 0; answered < index * 25; answered++) connection.answer()
      connection.close()
      // What was parsed before Node saw the end of the socket, and answers that end late.
      expect(connection.arrive(3)).toBe(0)
      connection.answer()
    }
  }
  const full = Array.from({ length: 5 }, () => new Connection(ahead))
  expect(full.map((connection) => connection.arrive(101))).toEqual([101, 101, 101, 101, 101])
})
