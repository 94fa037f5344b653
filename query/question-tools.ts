/** What the parts of the desk (desk.ts) share. */
import type { QuestionName, Questions } from '../app/ports.ts'
import type { Text } from '../core/text.ts'
import type { ChainView } from './chain-view.ts'

/** JSON text; a long one stays the bytes that a worker made. */
export type Reply = Text | Promise<Text>

export const jsonText = (value: unknown): string => JSON.stringify(value)

export interface QuestionTools {
  /** What is shown as of a head. */
  view(head: number): ChainView
  /** Answered by a worker thread; questions with the same `key` have the same answer. */
  heavy<Name extends QuestionName>(name: Name, parameters: Questions[Name], head: number, key?: string): Promise<Text>
}
