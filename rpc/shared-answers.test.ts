import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { Asker } from '../app/ports.ts'
import { askerOn } from './asker.ts'
import { plainRequest, wholeBlockKey } from './native/whole-block.ts'
import { SharedAnswers } from './shared-answers.ts'

const MIB = 1024 * 1024
const BLOCKS = '/cosmos.base.tendermint.v1beta1.Service/'

const client = (): Asker & { leave(): void } => {
  const socket = new EventEmitter()
  return { ...askerOn(socket, '192.0.2.1'), leave: () => void socket.emit('close') }
}

/** An application that answers when it is told to, and forgets who has left. */
const createApplication = () => {
  const asked: { readonly answer: (bytes: Buffer) => void; isLeft: boolean }[] = []
  const ask = (asker: Asker): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const one = { answer: resolve, isLeft: false }
      asked.push(one)
      asker.onGone(() => {
        one.isLeft = true
        reject(new Error('nobody waits'))
      })
    })
  return { asked, ask }
}

describe('answers with a whole block', () => {
  it('have names: the newest block is another one at every height', () => {
    expect(wholeBlockKey(`${BLOCKS}GetLatestBlock`, '', 7)).not.toBe(wholeBlockKey(`${BLOCKS}GetLatestBlock`, '', 8))
    expect(wholeBlockKey(`${BLOCKS}GetBlockByHeight`, 'CAc=', 7)).toBe(
      wholeBlockKey(`${BLOCKS}GetBlockByHeight`, 'CAc=', 8),
    )
    expect(wholeBlockKey(`${BLOCKS}GetBlockByHeight`, 'CAc='.repeat(100), 7)).toBeUndefined()
    // Fields that nobody knows make no other request of it, and what cannot be read is left as it is.
    const plain = (request: number[]) => [...plainRequest(`${BLOCKS}GetBlockByHeight`, Uint8Array.from(request))]
    expect([plain([8, 7]), plain([8, 7, 0x78, 1]), plain([8, 7, 8, 7])]).toEqual([
      [8, 7],
      [8, 7],
      [8, 7],
    ])
    expect(plain([8])).toEqual([8])
    expect(wholeBlockKey(`${BLOCKS}GetNodeInfo`, '', 7)).toBeUndefined()
  })

  it('are that of all who ask, whoever is answered first, and who comes later has it at once', async () => {
    const { asked, ask } = createApplication()
    const blocks = new SharedAnswers<Buffer>()
    const answers = Array.from({ length: 20 }, () => blocks.answer('7', client(), ask))
    const other = blocks.answer('8', client(), ask)
    const block = Buffer.alloc(MIB)
    asked[13]?.answer(block)
    for (const answer of await Promise.all(answers)) expect(answer).toBe(block)
    // Nobody waits for the others any more, but for the one of another block.
    expect(asked.map(({ isLeft }) => isLeft)).toEqual([...Array<boolean>(20).fill(true), false])
    expect(await blocks.answer('7', client(), ask)).toBe(block)
    expect(asked).toHaveLength(21)
    asked[20]?.answer(Buffer.alloc(1))
    expect(await other).toHaveLength(1)
  })

  it('of a client that has gone are not those of others', async () => {
    const { asked, ask } = createApplication()
    const blocks = new SharedAnswers<Buffer>()
    const gone = client()
    const [left, stays] = [blocks.answer('7', gone, ask), blocks.answer('7', client(), ask)]
    gone.leave()
    await expect(left).rejects.toThrow('nobody waits')
    expect(asked.map(({ isLeft }) => isLeft)).toEqual([true, false])
    asked[1]?.answer(Buffer.alloc(MIB))
    expect(await stays).toHaveLength(MIB)
  })

  it('are kept up to a bound, the oldest leave first, and short ones are not', async () => {
    const blocks = new SharedAnswers<Buffer>()
    let asked = 0
    const answer = (key: string, bytes: number) =>
      blocks.answer(key, client(), async () => {
        asked++
        return Buffer.alloc(bytes)
      })
    for (let height = 1; height <= 5; height++) await answer(`${height}`, 8 * MIB)
    expect(asked).toBe(5)
    for (let height = 5; height >= 2; height--) await answer(`${height}`, 8 * MIB)
    expect(asked).toBe(5)
    await answer('1', 8 * MIB)
    await answer('short', 1_000)
    await answer('short', 1_000)
    await answer('huge', 40 * MIB)
    await answer('huge', 40 * MIB)
    expect(asked).toBe(10)
    await answer('1', 8 * MIB)
    expect(asked).toBe(10)
    blocks.forget()
    await answer('1', 8 * MIB)
    expect(asked).toBe(11)
  })
})
