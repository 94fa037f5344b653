import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { bytesToBase64 } from '../core/bytes.ts'
import { textToString } from '../core/text.ts'
import { handleQuery } from '../modules/handlers.ts'
import type { Module, QueryHandler } from '../modules/module.ts'
import { bankQuery, cometQuery, govQuery, txService } from '../proto/index.ts'
import { LatestState } from '../store/latest.ts'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import { ChainReader } from '../app/index/chain-reader.ts'
import { AnswerCache } from './answer-cache.ts'
import { NativeQuestions, type NativeQuestionsOptions } from './native-questions.ts'
import { TENDERMINT_SERVICE } from './tendermint-service.ts'
import type { ChainView } from './chain-view.ts'

const { balance } = bankQuery.Query.method
const DEAR = handleQuery(govQuery.Query.method.tallyResult, () => ({}), { isHeavy: true })

interface World {
  readonly questions: NativeQuestions
  readonly logged: readonly string[]
  readonly heads: readonly number[]
}

const createWorld = (handlers: readonly QueryHandler[], heavy: () => Promise<string>): World => {
  const store = openMemoryStore()
  const logged: string[] = []
  const heads: number[] = []
  const parameters = { chainId: 'test-1', evmChainId: 1n, initialHeight: 1, hardforks: [] }
  const options: Partial<NativeQuestionsOptions> = {
    modules: [{ queries: handlers } as unknown as Module],
    environment: { log: { error: (text: string) => void logged.push(text) } } as never,
    answers: new AnswerCache(),
    view: (head) =>
      ({
        head,
        parameters,
        reader: new ChainReader(store),
        stateAt: () => new LatestState(store, 1),
      }) as unknown as ChainView,
    heavy: (_, __, head) => {
      heads.push(head)
      return heavy()
    },
  }
  return { questions: new NativeQuestions(options as NativeQuestionsOptions), logged, heads }
}

const NEVER = (): Promise<string> => Promise.reject(new TypeError('not asked'))
const abciQuery = (path: string) => ({ path, data: new Uint8Array(0), height: 0, prove: false })

describe('a native question', () => {
  it('over ABCI whose handler has a fault is an internal error, which stops nothing and is logged', async () => {
    const broken = handleQuery(balance, () => {
      throw new TypeError('undefined is no balance')
    })
    const { questions, logged } = createWorld([broken], NEVER)
    const { code, log } = await questions.abciQuery(abciQuery(broken.path), 5)
    expect(code).not.toBe(0)
    expect(log).toContain('internal error')
    expect(log).not.toContain('malformed')
    expect(logged).toEqual(['a native query failed'])
    expect(() => questions.ask({ path: broken.path, data: '', height: 0 }, 5)).toThrow(TypeError)
  })

  it('over ABCI that a worker died of is an internal error, too', async () => {
    const { questions, logged } = createWorld([DEAR], NEVER)
    expect((await questions.abciQuery(abciQuery(DEAR.path), 5)).log).toContain('internal error')
    expect(logged).toEqual(['a native query failed'])
  })

  it('that CometBFT would ask is answered over gRPC too, refusals included', async () => {
    const held = handleQuery(balance, () => ({ balance: { denom: 'anat', amount: '7' } }))
    const { questions } = createWorld([held], NEVER)
    const { input, output, name } = cometQuery.Service.method.aBCIQuery
    const ask = async (path: string) => {
      const request = toBinary(input, create(input, { path }))
      const question = { path: `${TENDERMINT_SERVICE}${name}`, data: bytesToBase64(request), height: 0 }
      return fromBinary(
        output,
        Buffer.from(JSON.parse(textToString(await questions.ask(question, 5))) as string, 'base64'),
      )
    }
    expect(await ask('/app/nothing')).toMatchObject({
      code: 6,
      codespace: 'sdk',
      log: 'unknown query path: unknown request',
    })
    await expect(ask(held.path)).rejects.toThrow(`unsupported ABCI query path: ${held.path}`)
    await expect(ask('')).rejects.toThrow('empty query path')
  })

  it('for transactions of a height is for workers, over ABCI too', async () => {
    const { questions, heads } = createWorld([], async () => '"AAEC"')
    const { input, name, parent } = txService.Service.method.getTxsEvent
    const path = `/${parent.typeName}/${name}`
    const search = (query: string) => toBinary(input, create(input, { query }))
    const { value } = await questions.abciQuery({ ...abciQuery(path), data: search('tx.height>3') }, 5)
    expect([...value]).toEqual([0, 1, 2])
    const question = { path, data: bytesToBase64(search('tx.height=4')), height: 0 }
    expect(await questions.ask(question, 5)).toBe('"AAEC"')
    expect(heads).toEqual([5, 5])
    // CometBFT waits for the answer to such a question, and cannot be asked.
    const events = search("tx.height>3 AND transfer.sender='nat1'")
    expect(await questions.abciQuery({ ...abciQuery(path), data: events }, 5)).toMatchObject({ code: 6 })
  })

  it('has a bound of bytes, over ABCI too', async () => {
    const held = handleQuery(balance, () => ({ balance: { denom: 'anat', amount: '7' } }))
    const { questions } = createWorld([held], NEVER)
    const long = new Uint8Array(20_000)
    const { codespace, code, log } = await questions.abciQuery({ ...abciQuery(held.path), data: long }, 5)
    expect([codespace, code]).toEqual(['sdk', 18])
    expect(log).toContain('at most 16384 bytes, not 20000')
    const question = { path: held.path, data: bytesToBase64(long), height: 0 }
    expect(() => questions.ask(question, 5)).toThrow('a request of this method has at most 16384 bytes, not 20000')
  })

  it('that is dear is answered once for each height', async () => {
    const { questions, heads } = createWorld([DEAR], async () => '"AAEC"')
    const ask = (head: number) => questions.ask({ path: DEAR.path, data: '', height: 0 }, head)
    expect([await ask(5), await ask(5), await ask(6)]).toEqual(['"AAEC"', '"AAEC"', '"AAEC"'])
    expect(heads).toEqual([5, 6])
    expect([...(await questions.abciQuery(abciQuery(DEAR.path), 6)).value]).toEqual([0, 1, 2])
    expect(heads).toEqual([5, 6])
  })
})
