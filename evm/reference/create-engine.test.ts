import { expect, it } from 'vitest'
import { InvariantError } from '../../core/errors.ts'
import { COLLECT, describeEngine, ENGINE_BLOCK, ENGINE_MESSAGE, freshState } from '../testing/describe-engine.ts'
import { createEthereumjsEngine } from './create-engine.ts'

const engine = await createEthereumjsEngine()

describeEngine(engine)

it('one state is executed on once at a time', async () => {
  const state = freshState('0x6001600055')
  const first = engine.execute(state, ENGINE_BLOCK, ENGINE_MESSAGE, COLLECT)
  expect(() => engine.execute(state, ENGINE_BLOCK, ENGINE_MESSAGE, COLLECT)).toThrow(InvariantError)
  expect(await first).toMatchObject({ valid: true, result: { failure: undefined } })
})
