/** rpc may not import what answers questions, and names those that take long by itself: the two lists must not part. */
import { expect, test } from 'vitest'
import type { QuestionName } from '../../app/ports.ts'
import { QUESTIONS } from '../../query/questions.ts'
import { isSlow } from '../../rpc/stream/small-lines.ts'

const names = Object.keys(QUESTIONS) as QuestionName[]

test('a gateway knows every question that workers answer as a slow one', () => {
  const ofWorkers = names.filter((name) => {
    const question = QUESTIONS[name]
    return 'reads' in question && question.reads === 'worker'
  })
  expect(ofWorkers.length).toBeGreaterThan(20)
  expect(ofWorkers.filter((name) => !isSlow(name))).toEqual([])
})

test('and none that the thread of blocks answers with a few reads', () => {
  const few = names.filter((name) => {
    const question = QUESTIONS[name]
    return 'reads' in question && question.reads === 'few'
  })
  expect(few.filter(isSlow)).toEqual([])
})
