import { describe, expect, it } from 'vitest'
import { formatHostPort, parseEndpoint, parseHostPort } from './host-port.ts'

describe('a host and a port', () => {
  it.each([
    ['127.0.0.1:26657', '127.0.0.1', 26_657],
    ['tcp://127.0.0.1:1', '127.0.0.1', 1],
    ['node-1.example:0', 'node-1.example', 0],
    [':8545', '0.0.0.0', 8_545],
    ['[::1]:8545', '::1', 8_545],
    ['tcp://[::]:65535', '::', 65_535],
    ['[::ffff:127.0.0.1]:80', '::ffff:127.0.0.1', 80],
    ['[fe80::1%eth0]:80', 'fe80::1%eth0', 80],
  ])('are read from %s, and written as they are read', (text, host, port) => {
    expect(parseHostPort(text)).toEqual({ host, port })
    expect(parseHostPort(formatHostPort({ host, port }))).toEqual({ host, port })
  })

  it('are written with brackets around IPv6 alone', () => {
    expect(formatHostPort({ host: '::1', port: 8545 })).toBe('[::1]:8545')
    expect(formatHostPort({ host: 'localhost', port: 8545 })).toBe('localhost:8545')
  })

  it.each([
    '',
    'localhost',
    '8545',
    'a:b',
    '1.2.3.4:65536',
    '127.0.0.1:99999',
    '::1:80',
    '[::1]',
    'http://a:1',
    'tcp://tcp://a:1',
    'unix:///a:1',
    'a b:1',
    'a:1 ',
  ])('are not read from "%s"', (text) => {
    expect(parseHostPort(text)).toBeUndefined()
  })
})

describe('an endpoint', () => {
  it('is a socket file or a port of a host', () => {
    expect(parseEndpoint('unix:///run/app.sock')).toEqual({ path: '/run/app.sock' })
    expect(parseEndpoint('unix://app.sock')).toEqual({ path: 'app.sock' })
    expect(parseEndpoint('tcp://localhost:26658')).toEqual({ host: 'localhost', port: 26_658 })
  })

  it.each([
    'unix://',
    'http://localhost:1',
    '127.0.0.1:1',
    'tcp://127.0.0.1',
    'tcp://127.0.0.1:99999',
    'tcp://tcp://a:1',
  ])('is not read from %s', (text) => {
    expect(parseEndpoint(text)).toBeUndefined()
  })
})
