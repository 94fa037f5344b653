import { expect, test } from 'vitest'
import { readTracer } from './tracer.ts'

/** A muxTracer that stands in `depth - 1` others. */
const nested = (depth: number): unknown => {
  let config: unknown = { noopTracer: null }
  for (let level = 1; level < depth; level++) config = { muxTracer: config }
  return config
}

test('muxTracer stands in few others: what nests deeper is refused, however deep it is', () => {
  expect(readTracer('muxTracer', nested(8)).name).toBe('muxTracer')
  for (const depth of [9, 1_500, 9_000]) {
    expect(readTracer('muxTracer', nested(depth))).toEqual({
      name: 'refused',
      message: 'muxTracer is nested more than 8 times',
    })
  }
})
