import { describe, expect, it } from 'vitest'
import { bytesToUtf8, utf8ToBytes } from '../core/bytes.ts'
import { CodedError } from '../core/errors.ts'
import type { Consensus } from '../app/environment.ts'
import { queryFailed } from '../app/errors.ts'
import type { Questions } from '../app/ports.ts'
import { answerWithConsensus, answerWithReplies } from './heard-consensus.ts'
import type { QuestionTools } from './question-tools.ts'

const QUESTION: Questions['native'] = { path: '/a', data: '', height: 0 }
const LONG = 'x'.repeat(100_000)

/** Says what it is given, in the form of CometBFT. */
const consensusOf = (results: Readonly<Record<string, unknown>>) => {
  const asked: string[] = []
  const consensus: Consensus = {
    consensusRpc: async (route, accepts) => {
      asked.push(route)
      const result = results[route]
      const text = JSON.stringify(result instanceof Error ? { error: { message: result.message } } : { result })
      if (accepts?.(text) === false) throw new TypeError('read elsewhere')
      if (result instanceof Error) throw result
      return result
    },
  }
  return { asked, consensus }
}

/** Texts of routes, one after the other; `swallows` takes every failure for nothing, as a search by hash does. */
const join =
  (routes: readonly string[], swallows = false) =>
  async (consensus: Consensus): Promise<Uint8Array> => {
    const parts: string[] = []
    for (const route of routes) {
      try {
        parts.push(String(await consensus.consensusRpc(route)))
      } catch (error) {
        if (!swallows) throw error
      }
    }
    return utf8ToBytes(parts.join('+'))
  }

const ask = async (results: Readonly<Record<string, unknown>>, answer: ReturnType<typeof join>) => {
  const { asked, consensus } = consensusOf(results)
  let handedOver = 0
  const heavy: QuestionTools['heavy'] = async (_, parameters) => {
    handedOver++
    return bytesToUtf8(await answerWithReplies((parameters as Questions['native']).replies ?? {}, answer))
  }
  const text = await answerWithConsensus(consensus, heavy, { question: QUESTION, head: 7 }, answer, bytesToUtf8)
  return { text, asked, handedOver }
}

describe('an answer that is made of what CometBFT says', () => {
  it('is made here while that is short', async () => {
    expect(await ask({ a: 'one', b: 'two' }, join(['a', 'b']))).toEqual({
      text: 'one+two',
      asked: ['a', 'b'],
      handedOver: 0,
    })
  })

  it('is made by a worker of the same texts when it is long, each asked for once', async () => {
    for (const swallows of [false, true]) {
      const { text, asked, handedOver } = await ask({ a: 'one', b: LONG, c: 'two' }, join(['a', 'b', 'c'], swallows))
      expect(text === `one+${LONG}+two`).toBe(true)
      expect(new Set(asked)).toEqual(new Set(['a', 'b', 'c']))
      expect(handedOver).toBeLessThanOrEqual(2)
    }
  })

  it('fails as CometBFT fails', async () => {
    await expect(ask({ a: queryFailed('no such block') }, join(['a']))).rejects.toThrow('no such block')
    const failing = ask({ a: LONG, b: queryFailed('no such block') }, join(['a', 'b']))
    await expect(failing).rejects.toThrow('no such block')
  })

  it('is refused when it is longer than any answer may be', async () => {
    await expect(ask({ a: 'x'.repeat(65 * 1024 * 1024) }, join(['a']))).rejects.toBeInstanceOf(CodedError)
  })
})
