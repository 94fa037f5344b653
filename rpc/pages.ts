/** What the HTTP port serves besides JSON-RPC: health, readiness, CORS, and refusals as geth words them. */
import express, { type Express, type Request, type Response } from 'express'
import type { DaemonHealth } from '../app/ports.ts'
import { refuse } from './http.ts'
import { allowedOrigin } from './origins.ts'

export interface Health {
  /** The health rule of the interface: not catching up, and a head that follows the chain. */
  readonly healthy: boolean
  readonly details: Readonly<Record<string, unknown>>
}

export interface PagesOptions {
  readonly corsOrigins: readonly string[]
  health(): Health
  /** Whether the application is in reach, though it may be catching up. */
  isLive(): boolean
  /** Shown with the readiness, which they do not decide: a node whose bridge is away serves all else. */
  daemons?(): readonly DaemonHealth[] | undefined
}

const answerPreflight = (request: Request, response: Response, origins: readonly string[]): void => {
  const { origin } = request.headers
  const method = request.headers['access-control-request-method']
  if (origin === undefined || method === undefined) {
    response.setHeader('Content-Type', 'application/json')
    response.status(200).end()
    return
  }
  response.setHeader('Vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers')
  const allowed = allowedOrigin(origins, origin)
  if (allowed !== undefined && (method === 'POST' || method === 'GET')) {
    response.setHeader('Access-Control-Allow-Origin', allowed)
    response.setHeader('Access-Control-Allow-Methods', method)
    response.setHeader('Access-Control-Max-Age', '600')
    const headers = request.headers['access-control-request-headers']
    if (headers !== undefined) response.setHeader('Access-Control-Allow-Headers', headers)
  }
  response.status(204).end()
}

/** Answers on `/` only: geth answers a bare GET and treats any other method as a request of a wrong content type. */
const answerRoot = (request: Request, response: Response, origins: readonly string[]): void => {
  if (request.method === 'OPTIONS') return answerPreflight(request, response, origins)
  if (request.method === 'PUT' || request.method === 'DELETE') return refuse(response, 405, 'method not allowed')
  const isBare = request.method === 'GET' && Number(request.headers['content-length'] ?? 0) === 0
  if (isBare && !request.url.includes('?')) {
    response.status(200).end()
    return
  }
  return refuse(response, 415, 'invalid content type, only application/json is supported')
}

export const createPages = (options: PagesOptions): Express => {
  const pages = express()
  pages.disable('x-powered-by')
  pages.disable('etag')
  pages.set('case sensitive routing', true)
  pages.set('strict routing', true)
  pages.get('/healthz', (_request, response) => {
    const { healthy, details } = options.health()
    response.status(healthy ? 200 : 503).json({ healthy, ...details })
  })
  pages.get('/readyz', (_request, response) => {
    const ready = options.health().healthy
    const daemons = options.isLive() ? options.daemons?.() : undefined
    response.status(ready ? 200 : 503).json({ ready, ...(daemons && { daemons }) })
  })
  pages.get('/livez', (_request, response) => {
    const live = options.isLive()
    response.status(live ? 200 : 503).json({ live })
  })
  pages.use((request, response) => {
    if (request.path === '/') answerRoot(request, response, options.corsOrigins)
    else response.status(404).end()
  })
  // Without it Express would show a path that cannot be decoded a stack trace.
  pages.use((_error: unknown, _request: Request, response: Response, _next: unknown) => {
    refuse(response, 400, 'bad request')
  })
  return pages
}
