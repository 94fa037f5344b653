/** Reads the parameters of a long question, which came as bytes. */
import { textToString } from '../core/text.ts'
import { invalidParameters } from '../app/errors.ts'
import type { EncodedParameters, QuestionName, Questions } from '../app/ports.ts'

/** Throws query/2 for what is no JSON. */
export const decodeParameters = <Name extends QuestionName>({ encoded }: EncodedParameters): Questions[Name] => {
  try {
    return JSON.parse(textToString(encoded)) as Questions[Name]
  } catch {
    throw invalidParameters('the parameters of the question are no JSON')
  }
}
