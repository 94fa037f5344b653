import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fastAnswer } from './fast.ts'
import { type PlanVector, planVectors, VECTORS } from './vectors.ts'

const stored = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../vectors/clob/plan.json'), 'utf8'),
) as readonly PlanVector[]

it('the vectors are those of the slow model', () => {
  expect(stored).toHaveLength(VECTORS)
  expect(stored).toEqual(planVectors())
})

it('the plan gives what each vector expects', () => {
  for (const { given, expected } of stored) expect(fastAnswer(given)).toEqual(expected)
})

it('the vectors hold all that can happen', () => {
  const count = (is: (vector: PlanVector) => boolean): number => stored.filter(is).length
  expect(count(({ expected }) => !expected.isValid)).toBeGreaterThan(10)
  expect(count(({ expected }) => expected.missing !== null)).toBeGreaterThan(20)
  expect(count(({ expected }) => expected.taken.length > 3)).toBeGreaterThan(20)
  expect(count(({ given, expected }) => given.carried.length > 0 && expected.carried.length > 0)).toBeGreaterThan(20)
  expect(count(({ given }) => given.injected.length > 0)).toBeGreaterThan(20)
})
