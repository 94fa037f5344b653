/** Questions as gateways send them: who asks, and what. */
import type { AnsweringApplication, Asker, BlockReference, QuestionName, Questions } from '../../app/ports.ts'
import { type Text, textToString } from '../../core/text.ts'
import { rpcError } from '../errors.ts'
import { FRAME, type Frame, firstLine, splitLongQuestion } from './frames.ts'

/** An address, or the network of one. */
const MAX_CLIENT_LENGTH = 100
const MAX_CONNECTION_LENGTH = 20

/** A question without its parameters. */
interface Heading {
  readonly name: QuestionName
  readonly head: number
  readonly client: string
  readonly connection: string
}

const readHeading = (name: unknown, head: unknown, client: unknown, connection: unknown): Heading => {
  if (typeof name !== 'string') throw rpcError('protocol', 'a question has a name')
  if (typeof head !== 'number' || !Number.isSafeInteger(head)) throw rpcError('protocol', `${name}: no head`)
  if (typeof client !== 'string' || client.length > MAX_CLIENT_LENGTH) throw rpcError('protocol', `${name}: no client`)
  if (typeof connection !== 'string' || connection.length > MAX_CONNECTION_LENGTH) {
    throw rpcError('protocol', `${name}: no connection`)
  }
  // The application refuses a name that it does not know.
  return { name: name as QuestionName, head, client, connection }
}

export interface Question extends Heading {
  ask(application: AnsweringApplication, asker: Asker): Text | Promise<Text>
}

const requireObject = (parameters: unknown, name: string): object => {
  if (typeof parameters !== 'object' || parameters === null) throw rpcError('protocol', `${name}: no parameters`)
  return parameters
}

const readShort = (question: unknown): Question => {
  if (!Array.isArray(question)) throw rpcError('protocol', 'a question is an array')
  const [name, parameters, head, client, connection] = question as readonly unknown[]
  const heading = readHeading(name, head, client, connection)
  const given = requireObject(parameters, heading.name) as Questions[QuestionName]
  return {
    ...heading,
    ask: (application, asker) => application.askText(heading.name, given, heading.head, asker),
  }
}

const readLong = (line: unknown, encoded: Uint8Array): Question => {
  if (!Array.isArray(line)) throw rpcError('protocol', 'a question is an array')
  const [name, head, client, connection, block] = line as readonly unknown[]
  const heading = readHeading(name, head, client, connection)
  const parameters =
    block === null ? { encoded } : { encoded, block: requireObject(block, heading.name) as BlockReference }
  return {
    ...heading,
    ask: (application, asker) => application.askEncoded(heading.name, parameters, heading.head, asker),
  }
}

/** Undefined for what is not JSON. */
export const readQuestion = ({ kind, body }: Frame): (() => Question) | undefined => {
  try {
    if (kind === FRAME.ask) {
      const question: unknown = JSON.parse(textToString(body))
      return () => readShort(question)
    }
    const { line, parameters } = splitLongQuestion(body)
    const heading: unknown = JSON.parse(line)
    return () => readLong(heading, parameters)
  } catch {
    return undefined
  }
}

export type Who = Pick<Asker, 'client' | 'connection'>

const SOMEBODY: Who = { client: '', connection: '' }
/** Client and connection at the end of a question. */
const TAIL = /"([^"\\]*)","([^"\\]*)"\]$/
const TAIL_LENGTH = MAX_CLIENT_LENGTH + MAX_CONNECTION_LENGTH + 6

/** Who asks, before the question is read. What cannot be told is told when it is. */
export const whoAsks = ({ kind, body }: Frame): Who => {
  if (kind === FRAME.ask) {
    const [, client = '', connection = ''] = TAIL.exec(textToString(body).slice(-TAIL_LENGTH)) ?? []
    return { client, connection }
  }
  try {
    const [, , client, connection] = JSON.parse(firstLine(body)) as readonly unknown[]
    return { client: String(client), connection: String(connection) }
  } catch {
    return SOMEBODY
  }
}

/** The head, and who asks, at the end of a short question. */
const REST = /,\d+,"[^"\\]*","[^"\\]*"\]$/
const MAX_COMPARED_LENGTH = 512

/** What two questions have in common that have the same answer in two blocks; undefined for long ones. */
export const whatIsAsked = ({ kind, body }: Frame): string | undefined =>
  kind === FRAME.ask && body.length <= MAX_COMPARED_LENGTH ? textToString(body).replace(REST, '') : undefined

/** The native method that sends a transaction. */
export const BROADCAST_PATH = '/cosmos.tx.v1beta1.Service/BroadcastTx'
/** What begins a question that sends something: the pool gets it, whoever has gone since. */
const SENDING = `["send`
const NATIVE = '["native",'
const PATH = `{"path":"${BROADCAST_PATH}"`

export const sends = ({ kind, body }: Frame): boolean => {
  const has = (text: string, at: number): boolean => textToString(body.slice(at, at + text.length)) === text
  if (has(SENDING, 0)) return true
  // The parameters of a long one stand behind its first line.
  return has(NATIVE, 0) && has(PATH, kind === FRAME.ask ? NATIVE.length : firstLine(body).length + 1)
}
