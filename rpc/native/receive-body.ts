/** The body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http'
import { CodedError } from '../../core/errors.ts'
import { GRPC } from '../grpc/status.ts'
import { BodyBuffer } from '../body-buffer.ts'
import { TOO_GREEDY, type MemoryShare } from '../memory-budget.ts'
import { invalidArgument } from './parse-parameter.ts'

/**
 * Throws grpc/3 for a longer body, and when the client goes away meanwhile; grpc/8 where the share has no room. The share
 * has it back when all has come.
 */
export const receiveBody = (request: IncomingMessage, limit: number, share: MemoryShare): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const body = new BodyBuffer(Math.min(limit, Number(request.headers['content-length'] ?? 0)), () => share)
    // What follows is not read; the connection ends with the answer.
    const refuse = (error: CodedError): void => {
      request.pause()
      request.removeAllListeners('data')
      body.release()
      reject(error)
    }
    request.on('data', (chunk: Buffer) => {
      if (body.length + chunk.length > limit) return refuse(invalidArgument('http: request body too large'))
      if (!body.push(chunk)) return refuse(new CodedError('grpc', GRPC.resourceExhausted, TOO_GREEDY))
    })
    request.on('end', () => {
      const bytes = body.read()
      body.release()
      resolve(bytes)
    })
    request.on('error', () => reject(invalidArgument('the request ended early')))
    request.once('close', () => body.release())
  })
