/** The record of a question by its name. */
import type { QuestionName } from '../app/ports.ts'
import type { Question } from './question.ts'
import { QUESTIONS } from './questions.ts'

/** Undefined for a name that is no question's: gateways of another version may ask it. */
export const questionOf = <Name extends QuestionName>(name: Name): Question<Name> | undefined =>
  Object.hasOwn(QUESTIONS, name) ? QUESTIONS[name] : undefined

/** Whether a worker is held by it for long. */
export const isSlowQuestion = (name: QuestionName): boolean => {
  const question = QUESTIONS[name]
  return 'reads' in question && question.isSlow === true
}
