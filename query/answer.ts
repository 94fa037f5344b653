/** Questions about the chain that need nothing but a view of it: the same on the main thread and in workers. */
import { unsupported } from '../app/errors.ts'
import type { QuestionName, Questions } from '../app/ports.ts'
import { questionOf } from './find-question.ts'
import type { ChainView } from './chain-view.ts'

/** The answer as JSON text. Throws a CodedError. */
export const answer = <Name extends QuestionName>(
  view: ChainView,
  name: Name,
  parameters: Questions[Name],
): string | Promise<string> => {
  const question = questionOf(name)
  if (question !== undefined && 'text' in question) return question.text(view, parameters)
  if (question === undefined || !('answer' in question)) {
    throw unsupported(`the question ${name} needs the pool and is not answered here`)
  }
  const result = question.answer(view, parameters)
  return result instanceof Promise ? result.then((settled) => JSON.stringify(settled)) : JSON.stringify(result)
}
