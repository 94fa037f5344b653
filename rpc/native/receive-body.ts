/** The body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http'
import { CodedError } from '../../core/errors.ts'
import { GRPC } from '../grpc/status.ts'
import { TOO_GREEDY, type MemoryShare } from '../memory-budget.ts'
import { invalidArgument } from './parse-parameter.ts'

/**
 * Throws grpc/3 for a longer body, and when the client goes away meanwhile; grpc/8 where the share has no room. The share
 * has it back when all has come.
 */
export const receiveBody = (request: IncomingMessage, limit: number, share: MemoryShare): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    let held = 0
    const settle = (): void => {
      share.give(held)
      held = 0
    }
    // What follows is not read; the connection ends with the answer.
    const refuse = (error: CodedError): void => {
      request.pause()
      request.removeAllListeners('data')
      settle()
      reject(error)
    }
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limit) return refuse(invalidArgument('http: request body too large'))
      if (!share.hold(chunk.length)) return refuse(new CodedError('grpc', GRPC.resourceExhausted, TOO_GREEDY))
      held += chunk.length
      chunks.push(chunk)
    })
    request.on('end', () => {
      settle()
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('error', () => reject(invalidArgument('the request ended early')))
    request.once('close', settle)
  })
