/** The body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http'
import { CodedError } from '../../core/errors.ts'
import { GRPC } from '../grpc/status.ts'
import { BodyBuffer } from '../body-buffer.ts'
import { TOO_GREEDY, type MemoryShare } from '../memory-budget.ts'
import { LARGE_BODY_BYTES, type LargeBodies } from '../large-bodies.ts'
import { type BodyPieces, TOO_SMALL_PIECES } from '../small-pieces.ts'
import { invalidArgument } from './parse-parameter.ts'

export interface BodyBounds {
  readonly limit: number
  readonly share: MemoryShare
  /** Where long bodies take turns, by client. */
  readonly large: LargeBodies
  readonly client: string
  readonly pieces: BodyPieces
}

/**
 * Throws grpc/3 for a longer body, for one that comes in too many small pieces, and when the client goes away meanwhile; grpc/8 where the share has no room. The share
 * has it back when all has come.
 */
export const receiveBody = (
  request: IncomingMessage,
  { limit, share, large, client, pieces }: BodyBounds,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const announced = Math.min(limit, Number(request.headers['content-length'] ?? 0))
    const body = new BodyBuffer(() => share)
    let isLarge = false
    const beLarge = (): void => {
      isLarge = true
      large.begin(request, client)
    }
    const release = (): void => {
      body.release()
      if (isLarge) large.end(request)
    }
    // What follows is not read; the connection ends with the answer.
    const refuse = (error: CodedError): void => {
      request.pause()
      request.removeAllListeners('data')
      release()
      reject(error)
    }
    request.on('data', (chunk: Buffer) => {
      if (body.length + chunk.length > limit) return refuse(invalidArgument('http: request body too large'))
      if (pieces.hasEnded(request.socket)) return refuse(invalidArgument(TOO_SMALL_PIECES))
      if (!body.push(chunk)) return refuse(new CodedError('grpc', GRPC.resourceExhausted, TOO_GREEDY))
      if (isLarge) large.arrived(request)
      else if (body.length >= LARGE_BODY_BYTES) beLarge()
    })
    request.on('end', () => {
      const bytes = body.read()
      release()
      resolve(bytes)
    })
    request.on('error', () => reject(invalidArgument('the request ended early')))
    request.once('close', release)
    if (announced >= LARGE_BODY_BYTES) beLarge()
  })
