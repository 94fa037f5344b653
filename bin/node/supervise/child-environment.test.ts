import { expect, test } from 'vitest'
import { startChild } from './child.ts'
import { childEnvironment } from './child-environment.ts'

test('holds settings and what runtimes read, and nothing else', () => {
  const given = {
    PATH: '/bin',
    HOME: '/root',
    LC_ALL: 'C',
    NODE_OPTIONS: '--x',
    CHAIN_JSON_RPC_ADDRESS: '127.0.0.1:1',
    CMT_RPC_LADDR: 'x',
    CHAIN_QUERIES_SECRET_FILE: '/run/secrets/x',
    CHAIN_KEYRING_PASSWORD: 'p',
    CHAIN_MNEMONIC: 'p',
    AWS_SECRET_ACCESS_KEY: 'p',
    GITHUB_TOKEN: 'p',
    GOOGLE_CLOUD: undefined,
    DATABASE_URL: 'p',
  }
  expect(Object.keys(childEnvironment(given))).toEqual([
    'PATH',
    'HOME',
    'LC_ALL',
    'NODE_OPTIONS',
    'CHAIN_JSON_RPC_ADDRESS',
    'CMT_RPC_LADDR',
    'CHAIN_QUERIES_SECRET_FILE',
  ])
})

test('holds no settings for a child that reads none: their URLs have passwords', () => {
  const given = {
    PATH: '/bin',
    CMT_RPC_LADDR: 'x',
    CHAIN_BRIDGE_DAEMON_ETH_RPC_ENDPOINT: 'https://rpc.example/key',
    CHAIN_JSON_RPC_RATE_LIMIT_REDIS: 'redis://:p@host:1',
  }
  expect(Object.keys(childEnvironment(given, false))).toEqual(['PATH', 'CMT_RPC_LADDR'])
  expect(Object.keys(childEnvironment(given))).toEqual(Object.keys(given))
})

test('of a child that runs has no password, and its lines no controls', async () => {
  process.env['CHAIN_KEYRING_PASSWORD'] = 'not for children'
  try {
    const lines: string[] = []
    const child = startChild({
      name: 'x',
      command: '/bin/sh',
      args: ['-c', 'env; printf "\\033[31mred\\n"'],
      environment: { GOGC: '200' },
      onLine: (line) => void lines.push(line),
    })
    await child.exited
    expect(lines).toContain('GOGC=200')
    expect(lines.some((line) => line.startsWith('PATH='))).toBe(true)
    expect(lines.filter((line) => line.includes('not for children'))).toEqual([])
    expect(lines.at(-1)).toBe('\\u001b[31mred')
  } finally {
    delete process.env['CHAIN_KEYRING_PASSWORD']
  }
})
