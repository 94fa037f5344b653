/** Asks a server of this node, over TLS where it has a certificate: that very certificate is expected, whatever name it is for. */
import { request as plainRequest, type IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'
import { formatHostPort, type HostPort } from '../../../core/host-port.ts'
import { cliError } from '../../errors.ts'

export interface OwnServer {
  readonly address: HostPort
  /** The certificate in PEM; left out where the server is plain. */
  readonly certificate?: string | undefined
}

const TIMEOUT_MS = 5_000
const MAX_ANSWER_CHARACTERS = 1_000_000

const loopback = ({ host, port }: HostPort): HostPort => ({ host: host === '0.0.0.0' ? '127.0.0.1' : host, port })

const readAll = async (response: IncomingMessage, where: string): Promise<string> => {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response as AsyncIterable<string>) {
    text += chunk
    if (text.length > MAX_ANSWER_CHARACTERS) throw cliError('unreachable', `${where} answers too much`)
  }
  return text
}

/** The text of the answer, whatever its status. Posts `body` where it is given. Rejects when nobody answers in time. */
export const askOwnServer = async (
  { address, certificate }: OwnServer,
  path: string,
  body?: string,
): Promise<string> => {
  const where = `${certificate === undefined ? 'http' : 'https'}://${formatHostPort(loopback(address))}${path}`
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    agent: false,
  } as const
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request =
    certificate === undefined
      ? plainRequest(where, options, resolve)
      : secureRequest(
          where,
          { ...options, ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined },
          resolve,
        )
  request.on('error', reject)
  request.end(body)
  return await readAll(await promise, where)
}
