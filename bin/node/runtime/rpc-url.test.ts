/** Where a node asks its own CometBFT, by what it listens on. */
import { expect, it } from 'vitest'
import { rpcUrl } from './rpc-url.ts'

it.each([
  ['tcp://127.0.0.1:26657', 'http://127.0.0.1:26657'],
  ['tcp://0.0.0.0:26657', 'http://127.0.0.1:26657'],
  ['tcp://:26657', 'http://127.0.0.1:26657'],
  ['tcp://[::]:26657', 'http://[::1]:26657'],
  ['tcp://[fe80::1]:26657', 'http://[fe80::1]:26657'],
  ['tcp://node:26657', 'http://node:26657'],
])('%s is asked at %s', (laddr, url) => {
  expect(rpcUrl(laddr)).toBe(url)
  expect(URL.canParse(url)).toBe(true)
})
