/** The page of a devnet: its parts come, and the node answers whatever its scripts ask with what they read. */
import { expect } from 'vitest'
import * as questions from '../../rpc/page/questions.js'

interface PageUrls {
  readonly http: number
  readonly ws: number
  readonly rest: number
  readonly grpc: number
  readonly comet: number
}

const HTML = { accept: 'text/html,*/*;q=0.8' }

export const usePage = async (ports: PageUrls): Promise<void> => {
  const url = `http://127.0.0.1:${ports.rest}`
  const load = async (path: string): Promise<string> => {
    const response = await fetch(`${url}${path}`, { headers: HTML })
    expect(response.status, path).toBe(200)
    expect(response.headers.get('content-security-policy'), path).toContain("default-src 'self'")
    return await response.text()
  }
  const page = await load('/')
  const parts = [...page.matchAll(/(?:src|href)="(\/page\/[^"]+)"/g)].map(([, path = '']) => path)
  expect(parts).toEqual(['/page/page.css', '/page/page.js'])
  const [style = '', script = ''] = await Promise.all(parts.map(load))
  expect(style).toContain('table')
  const modules = [...script.matchAll(/from '\.\/([\w.]+)'/g)].map(([, name = '']) => `/page/${name}`)
  expect(modules).toContain('/page/questions.js')
  await Promise.all(modules.map(load))

  const ask = async <T>({ path, read }: questions.Question<T>): Promise<T> => {
    const response = await fetch(`${url}${path}`)
    expect(response.status, path).toBe(200)
    return read(await response.json())
  }
  const local = (port: number): string => `127.0.0.1:${port}`
  expect(await ask(questions.servers)).toEqual({
    jsonRpc: local(ports.http),
    webSocket: local(ports.ws),
    grpc: local(ports.grpc),
  })
  expect(await ask(questions.node)).toEqual({
    ...{ chainId: 'localnat-1', moniker: 'devnet', cometbft: local(ports.comet) },
  })
  expect(await ask(questions.evmChainId)).toBe(2517)
  const { height, time } = await ask(questions.status)
  expect(height).toBeGreaterThan(0)
  expect(time.getTime()).toBeGreaterThan(0)
  expect((await ask(questions.coins)).get('anat')).toEqual({ symbol: 'NAT', decimals: 18 })
  for (const [, native] of questions.DEVNET_ACCOUNTS) {
    expect(await ask(questions.balance(native))).toBeGreaterThan(0n)
    expect((await fetch(`${url}${questions.accountPath(native)}`)).status).toBe(200)
  }

  // What was sent before by tools and commands, and none of the orders.
  const { total, newest } = await ask(questions.transactionsAbove(0))
  expect(newest).toHaveLength(Math.min(total, questions.SHOWN.transactions))
  expect(newest.map(({ what }) => what)).toEqual(expect.arrayContaining(['MsgSend', 'creates a contract']))
  expect(newest.filter(({ isFailed }) => isFailed).map(({ outcome }) => outcome)).toContain('reverted')
  for (const { hash, height: at, from } of newest) {
    expect(from).toMatch(/^(?:0x[0-9a-f]{40}|nat1[a-z0-9]{38})$/)
    for (const path of [questions.transactionPath(hash), questions.blockPath(at)]) {
      expect((await fetch(`${url}${path}`)).status, path).toBe(200)
    }
  }
  expect((await ask(questions.transactionsAbove(height + 1_000))).total).toBe(0)

  const markets = await ask(questions.markets)
  expect(markets.map(({ id, status }) => [id, status])).toEqual([1, 2].map((id) => [id, 'active']))
  for (const { id } of markets) {
    await ask(questions.depth(id))
    await ask(questions.trades(id))
    expect((await fetch(`${url}${questions.marketPath(id)}`)).status).toBe(200)
  }
  const [first] = markets
  const [trade] = await ask(questions.trades(1))
  if (first === undefined || trade === undefined) throw new TypeError('market 1 has a trade')
  expect(questions.priceOf(trade.ticks, first, { base: 18, quote: 6 })).toBe('1.25')
  expect([trade.side, trade.lots, trade.accounts.length]).toEqual(['buy', 2_500n, 2])
}
