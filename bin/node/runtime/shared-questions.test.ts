import { expect, it } from 'vitest'
import { SharedQuestions } from './shared-questions.ts'

const question = (key: string | undefined) => ({ key, isLong: false })

const joined = () => {
  const shared = new SharedQuestions<ReturnType<typeof question>>()
  const [first, second, other, alone] = [
    question('block 7'),
    question('block 7'),
    question('block 8'),
    question(undefined),
  ]
  for (const each of [first, second, other, alone]) shared.join(each)
  return { shared, first, second, other, alone }
}

it('questions of one key know of one another, from the first that joins to the last that leaves', () => {
  const { shared, first, second, other, alone } = joined()
  expect(shared.othersOf(first)).toEqual([second])
  expect(shared.othersOf(other)).toEqual([])
  expect(shared.othersOf(alone)).toEqual([])
  shared.leave(second)
  expect(shared.othersOf(first)).toEqual([])
  shared.leave(first)
  expect(shared.othersOf(first)).toEqual([])
})

it('when one of them turns out to be long all are, and who comes later', () => {
  const { shared, first, second, other, alone } = joined()
  expect(shared.isLong('block 7')).toBe(false)
  shared.turnLong(second)
  expect([first, second, other, alone].map(({ isLong }) => isLong)).toEqual([true, true, false, false])
  expect([shared.isLong('block 7'), shared.isLong('block 8'), shared.isLong(undefined)]).toEqual([true, false, false])
  shared.turnLong(alone)
  expect(shared.isLong(undefined)).toBe(false)
  for (const each of [first, second]) shared.leave(each)
  expect(shared.isLong('block 7')).toBe(false)
})
