/** Questions from the network: none may end the node, whatever it holds. */
import { describe, expect, it } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import type { QuestionName, Questions } from '../../app/ports.ts'
import { SIMULATE_PATH } from '../../query/dry-run.ts'
import { createModules } from '../../app/genesis/modules.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { seeded } from '../sim/random.ts'
import { blockOf, type Lone, openLone } from './lone-application.ts'

const PATHS = createModules(openMemoryStore()).flatMap(({ queries }) => queries.map(({ path }) => path))
const INITIAL_HEIGHT = 100

const openAt = async (): Promise<Lone> => {
  const lone = await openLone({ genesis: { initialHeight: INITIAL_HEIGHT } })
  for (let height = INITIAL_HEIGHT; height < INITIAL_HEIGHT + 3; height++) {
    await lone.application.finalizeBlock(blockOf(height, []))
    await lone.application.commit()
  }
  return lone
}

describe('an ABCI query', () => {
  it(
    'of garbage is answered with a code',
    seeded(710, async (random) => {
      const { application } = await openAt()
      expect(PATHS.length).toBeGreaterThanOrEqual(5)
      const paths = [...PATHS, '', '/', '/app/simulate', '/store/bank/key', '/cosmos.base.tendermint.v1beta1.Service/X']
      for (let round = 0; round < 2_000; round++) {
        const path = random.pick(paths)
        const data = random.bytes(random.pick([0, 1, 2, 5, 30, 300]))
        const height = random.pick([0, 1, INITIAL_HEIGHT - 1, INITIAL_HEIGHT, INITIAL_HEIGHT + 3, 2 ** 40, 2 ** 53 - 1])
        const { code, log } = await application.abciQuery({ path, data, height, prove: random.chance(50) })
        expect(typeof code).toBe('number')
        expect(log.length).toBeLessThan(1_000)
      }
    }),
  )
})

describe('an ABCI query that a worker answers', () => {
  it.each(['/cosmos.gov.v1.Query/TallyResult', SIMULATE_PATH])(
    '%s is refused with a code when it dies',
    async (path) => {
      const died = () => Promise.reject(new TypeError('the worker ran out of memory'))
      const { application, complaints } = await openLone({ environment: { heavy: { run: died } } })
      const answered = await application.abciQuery({ path, data: new Uint8Array(0), height: 0, prove: false })
      expect(answered).toMatchObject({ codespace: 'sdk', value: new Uint8Array(0) })
      expect(answered.code).toBeGreaterThan(0)
      expect(answered.log).toContain('internal error')
      expect(complaints).toEqual(['a native query failed'])
    },
  )
})

describe('a question about heights', () => {
  const address = `0x${'11'.repeat(20)}` as const
  const ask = async <Name extends QuestionName>({ application }: Lone, name: Name, parameters: Questions[Name]) => {
    try {
      return await application.ask(name, parameters, 0)
    } catch (error) {
      if (error instanceof CodedError) return `error ${error.message}`
      throw error
    }
  }

  it('below the first, above the head or out of any range is answered or refused', async () => {
    const lone = await openAt()
    for (const number of [0, 1, INITIAL_HEIGHT - 2, INITIAL_HEIGHT - 1, INITIAL_HEIGHT + 9, 2 ** 53 - 1]) {
      const block = { number }
      await ask(lone, 'balance', { address, block })
      await ask(lone, 'transactionCount', { address, block })
      await ask(lone, 'code', { address, block })
      await ask(lone, 'storage', { address, slot: `0x${'00'.repeat(32)}`, block })
      await ask(lone, 'block', { block, full: true })
      await ask(lone, 'blockReceipts', { block })
      await ask(lone, 'transactionByIndex', { block, index: 2 ** 31 })
      await ask(lone, 'newFilter', {
        criteria: { fromBlock: block, toBlock: block, addresses: [], topics: [] },
        client: '',
      })
      for (const path of PATHS) await ask(lone, 'native', { path, data: '////', height: number })
    }
    expect(await ask(lone, 'block', { block: { number: INITIAL_HEIGHT - 1 }, full: false })).toContain(
      '"number":"0x63"',
    )
    expect(await ask(lone, 'block', { block: { number: 5 }, full: false })).toBe('null')
  })

  it('before the chain has begun is refused', async () => {
    const lone = await openLone()
    for (const tag of ['latest', 'earliest', 'pending', 'safe', 'finalized'] as const) {
      await ask(lone, 'block', { block: { tag }, full: true })
      await ask(lone, 'balance', { address, block: { tag } })
    }
    expect(await ask(lone, 'gasPrice', {})).toMatch(/^"0x/)
  })
})
