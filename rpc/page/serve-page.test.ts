/** The page at / of the REST port: served where the settings say so, and in nobody's way. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NativeGateway, useNativeGateway } from '../testing/native-gateway.ts'

const gateway = useNativeGateway({ page: true })

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const NOT_IMPLEMENTED = '{"code":12,"message":"Not Implemented","details":[]}'
const PARTS = [
  ['/', 'text/html; charset=utf-8'],
  ['/page/page.css', 'text/css; charset=utf-8'],
  ['/page/page.js', 'text/javascript; charset=utf-8'],
  ['/page/questions.js', 'text/javascript; charset=utf-8'],
  ['/page/show.js', 'text/javascript; charset=utf-8'],
  ['/page/state.js', 'text/javascript; charset=utf-8'],
  ['/page/wallets.js', 'text/javascript; charset=utf-8'],
  ['/page/servers.json', 'application/json'],
] as const

describe('the page', () => {
  test.each(PARTS)('has %s with its type, and with headers that let nothing else in', async (path, type) => {
    const response = await fetch(`${gateway().url}${path}`, { headers: BROWSER })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self';.* frame-ancestors 'none'$/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(await response.text()).not.toBe('')
  })

  test('has each script that it names, and names nothing of elsewhere', async () => {
    const parts: readonly string[] = PARTS.map(([path]) => path)
    for (const path of parts) {
      const text = await (await fetch(`${gateway().url}${path}`, { headers: BROWSER })).text()
      const named = [...text.matchAll(/(?:src|rel="stylesheet" href)="([^"]*)"/g)].map(([, name = '']) => name)
      const imported = [...text.matchAll(/from '\.\/([^']*)'/g)].map(([, name = '']) => `/page/${name}`)
      expect(parts).toEqual(expect.arrayContaining([...named, ...imported]))
      expect(text).not.toMatch(/https?:\/\/(?!\$)/)
      // Neither is allowed by its Content-Security-Policy.
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! type="module" src="\/)/)
    }
  })

  test('tells where the other servers listen', async () => {
    const { text } = await gateway().get('/page/servers.json')
    expect(JSON.parse(text)).toEqual({ json_rpc: null, websocket: null, grpc: gateway().grpcAddress })
  })

  test('is for those who ask for a page: all else is answered as before', async () => {
    const others = [
      await gateway().get('/', { accept: 'application/json' }),
      await gateway().get('/', { accept: '*/*' }),
      await gateway().get('/', { accept: 'application/json, text/plain, */*' }),
      await gateway().get('/page/', BROWSER),
      await gateway().get('/page/serve-page.ts', BROWSER),
      await gateway().get('/page/../settings.ts', BROWSER),
      await gateway().get('/favicon.ico', BROWSER),
      await gateway().get('/', BROWSER, 'DELETE'),
      await gateway().post('/', '{}'),
    ]
    for (const { status, text } of others) expect([status, text]).toEqual([501, NOT_IMPLEMENTED])
    const head = await fetch(gateway().url, { method: 'HEAD', headers: BROWSER })
    expect([head.status, head.headers.get('content-type')]).toEqual([501, 'application/json'])
  })

  test('is not served unless the settings say so', async () => {
    const closed = await NativeGateway.start()
    try {
      for (const [path] of PARTS) {
        const { status, text } = await closed.get(path, BROWSER)
        expect([status, text], path).toEqual([501, NOT_IMPLEMENTED])
      }
    } finally {
      await closed.close()
    }
  })

  test('counts in the limit of rates', async () => {
    const limited = await NativeGateway.start({ page: true, rateLimit: 1, rateLimitBurst: 3 })
    try {
      const statuses: number[] = []
      for (let sent = 0; sent < 5; sent++) statuses.push((await limited.get('/', BROWSER)).status)
      expect(statuses.slice(0, 3)).toEqual([200, 200, 200])
      expect(statuses.at(-1)).toBe(429)
    } finally {
      await limited.close()
    }
  })

  test('makes no markup of what it is told', () => {
    const folder = import.meta.dirname
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
      const source = readFileSync(join(folder, file), 'utf8')
      expect(source, file).not.toMatch(
        /innerHTML|outerHTML|insertAdjacent|document\.write|createContextualFragment|DOMParser|setHTML|\beval\b|Function\(|javascript:|srcdoc/,
      )
      // Attributes have values of the page itself; a link leads to a path.
      const attributes = [...source.matchAll(/setAttribute\(('\w+'), ([^)]+)\)/g)].map(([, ...parts]) =>
        parts.join(' '),
      )
      for (const each of attributes) expect(["'scope' 'col'", "'scope' 'row'", "'href' path"]).toContain(each)
    }
  })
})
