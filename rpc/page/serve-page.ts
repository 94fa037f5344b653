/** The page of the chain at / of the REST port (`api.page`): files as they lie here, and where the other servers listen. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'

/** `host:port` of each server; undefined for one that is not started. */
export interface PageServers {
  readonly jsonRpc: string | undefined
  readonly webSocket: string | undefined
  readonly grpc: string | undefined
}

export interface ChainPage {
  /** Whether the page, or a part of it, is asked for. */
  isAsked(request: IncomingMessage, path: string): boolean
  /** Answers a path that {@link isAsked} knows. */
  answer(response: ServerResponse, path: string): void
}

interface Part {
  readonly type: string
  readonly body: Buffer
}

/**
 * What the page shows comes from the chain, so anybody may have written it: nothing runs and nothing loads but what this
 * server serves, and no other page shows this one in a frame, where a click on it could be a trap.
 */
const HEADERS = {
  'Content-Security-Policy': "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
  // Other answers at / are those of grpc-gateway.
  Vary: 'Accept, Origin',
}

const HOME = '/'
const SCRIPT = 'text/javascript; charset=utf-8'
const FILES = [
  [HOME, 'index.html', 'text/html; charset=utf-8'],
  ['/page/page.css', 'page.css', 'text/css; charset=utf-8'],
  ...['page.js', 'questions.js', 'show.js', 'state.js', 'wallets.js'].map(
    (file) => [`/page/${file}`, file, SCRIPT] as const,
  ),
] as const

/** Programs that ask for / get what the Cosmos SDK answers there; browsers say that they want a page. */
const wantsPage = ({ headers }: IncomingMessage): boolean => /(?:^|[,\s])text\/html\b/i.test(headers.accept ?? '')

const describeServers = ({ jsonRpc, webSocket, grpc }: PageServers): string =>
  JSON.stringify({ json_rpc: jsonRpc ?? null, websocket: webSocket ?? null, grpc: grpc ?? null })

/** The files are read once. */
export const createChainPage = (servers: PageServers): ChainPage => {
  const parts = new Map<string, Part>(
    FILES.map(([path, file, type]) => [path, { type, body: readFileSync(join(import.meta.dirname, file)) }]),
  )
  parts.set('/page/servers.json', { type: 'application/json', body: Buffer.from(describeServers(servers)) })
  return {
    isAsked: (request, path) => request.method === 'GET' && parts.has(path) && (path !== HOME || wantsPage(request)),
    answer: (response, path) => {
      const part = parts.get(path)
      if (part === undefined || response.destroyed) return
      response.writeHead(200, { ...HEADERS, 'Content-Type': part.type, 'Content-Length': part.body.length })
      response.end(part.body)
    },
  }
}
