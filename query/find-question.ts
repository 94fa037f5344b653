/** The record of a question by its name. */
import type { QuestionName } from '../app/ports.ts'
import type { Question } from './question.ts'
import { QUESTIONS } from './questions.ts'

/** Finds a question; undefined for a name that is none's: gateways of another version may ask it. */
export const questionOf = <Name extends QuestionName>(name: Name): Question<Name> | undefined =>
  Object.hasOwn(QUESTIONS, name) ? QUESTIONS[name] : undefined

/** Tells whether it holds a worker for long. */
export const isSlowQuestion = (name: QuestionName): boolean => {
  const question = QUESTIONS[name]
  return 'reads' in question && question.isSlow === true
}

/**
 * Tells whether a question is not worth a try as a short one: it is slow by its kind, or made of records or of what
 * CometBFT says because that is much.
 */
export const isNeverShort = (name: QuestionName, parameters: unknown): boolean =>
  isSlowQuestion(name) || (typeof parameters === 'object' && parameters !== null && 'replies' in parameters)
