/** The body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http'
import { invalidArgument } from './parse-parameter.ts'

/** Throws grpc/3 for a longer body, and when the client goes away meanwhile. */
export const receiveBody = (request: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) {
        chunks.push(chunk)
        return
      }
      // What follows is not read; the connection ends with the answer.
      request.pause()
      request.removeAllListeners('data')
      reject(invalidArgument('http: request body too large'))
    })
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', () => reject(invalidArgument('the request ended early')))
  })
