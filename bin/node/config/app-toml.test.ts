import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { ANAT_PER_NAT } from '../../../core/amounts.ts'
import { loadSettings, renderAppToml, type SettingSources } from './app-toml.ts'
import { PUBLIC_VALUES } from './public.ts'
import { defaultSettings, environmentName, SETTING_KEYS } from './settings.ts'

const load = (toml: string, more: Partial<SettingSources> = {}) =>
  loadSettings({ path: 'app.toml', toml, flags: {}, environment: {}, ...more })

describe('app.toml', () => {
  it('is read back as it was written', () => {
    const toml = renderAppToml(defaultSettings())
    expect(load(toml)).toEqual({ settings: defaultSettings(), warnings: [] })
  })

  it('is TOML with the names of the interface', () => {
    const toml = renderAppToml({ ...defaultSettings(), 'json-rpc.address': { host: '0.0.0.0', port: 8545 } })
    expect(parse(toml)).toMatchObject({
      'minimum-gas-prices': '2000000000anat',
      evm: { 'evm-chain-id': 2517 },
      'json-rpc': { enable: true, address: '0.0.0.0:8545', 'ws-address': '127.0.0.1:8546', api: 'eth,net,web3,debug' },
    })
  })

  it('takes a flag over the environment, that over the file, and the file over the default', () => {
    const toml = '[json-rpc]\nlogs-cap = 1\n'
    const environment = { CHAIN_JSON_RPC_LOGS_CAP: '2' }
    const key = 'json-rpc.logs-cap'
    expect(load('').settings[key]).toBe(10_000)
    expect(load(toml).settings[key]).toBe(1)
    expect(load(toml, { environment }).settings[key]).toBe(2)
    expect(load(toml, { environment, flags: { [key]: '3' } }).settings[key]).toBe(3)
  })

  it('has with --public the values of a public node in the place of each default that nobody has changed', () => {
    const toml = renderAppToml({ ...defaultSettings(), 'json-rpc.ws-subscription-limit': 7 })
    const flags = { public: 'true', 'json-rpc.api': 'eth,net,web3,debug' }
    const environment = { CHAIN_JSON_RPC_RATE_LIMIT: '0' }
    const { settings } = load(toml, { flags, environment })
    for (const [key, value] of Object.entries(PUBLIC_VALUES)) {
      const named: Partial<Record<string, unknown>> = {
        'json-rpc.api': ['eth', 'net', 'web3', 'debug'],
        'json-rpc.rate-limit': 0,
        'json-rpc.ws-subscription-limit': 7,
      }
      expect(settings[key as keyof typeof settings], key).toEqual(key in named ? named[key] : value)
    }
    for (const written of ['true', '"true"'])
      expect(load(`public = ${written}\n${toml.replace('public = false', '')}`).settings['json-rpc.rate-limit']).toBe(
        500,
      )
    expect(load(toml).settings['json-rpc.rate-limit']).toBe(0)
  })

  it.each(['redis://127.0.0.1:6379', 'rediss://:word@host:1/2', ''])('takes %j as the address of a Redis', (url) => {
    expect(load('', { flags: { 'json-rpc.rate-limit-redis': url } }).settings['json-rpc.rate-limit-redis']).toBe(url)
  })

  it.each(['127.0.0.1:6379', 'http://127.0.0.1', 'redis://'])('refuses %j as one', (url) => {
    expect(() => load('', { flags: { 'json-rpc.rate-limit-redis': url } })).toThrowError(/--json-rpc.rate-limit-redis/)
  })

  it('gives every setting a name of its own in the environment', () => {
    expect(environmentName('evm.mempool.price-bump')).toBe('CHAIN_EVM_MEMPOOL_PRICE_BUMP')
    expect(new Set(SETTING_KEYS.map(environmentName)).size).toBe(SETTING_KEYS.length)
  })

  it('reads names as a list and as text, and amounts of NAT with decimals', () => {
    const { settings } = load(
      '[json-rpc]\napi = ["eth", "net"]\ntxfee-cap = 0.5\nws-origins = "a.example, b.example"\n',
    )
    expect(settings['json-rpc.api']).toEqual(['eth', 'net'])
    expect(settings['json-rpc.txfee-cap']).toBe(ANAT_PER_NAT / 2n)
    expect(settings['json-rpc.ws-origins']).toEqual(['a.example', 'b.example'])
  })

  it.each([
    [
      'pruning = "some"',
      'app.toml:1: pruning is "some", but must be one of "default", "nothing", "everything", "custom"',
    ],
    ['\n\n[json-rpc]\n# where\naddress = "8545"', 'app.toml:5: json-rpc.address is "8545", but must be host:port'],
    [
      '[json-rpc]\nrate-limit-redis = "redis-s://me:secret@host:1"',
      'app.toml:2: json-rpc.rate-limit-redis is "redis-s://...@host:1", but must be a URL such as',
    ],
    ['[json-rpc]\nevm-timeout = 5', 'app.toml:2: json-rpc.evm-timeout is 5, but must be a duration such as "5s"'],
    ['minimum-gas-prices = "2nat"', 'app.toml:1: minimum-gas-prices is "2nat", but must be an amount in anat'],
    [
      '[evm.mempool]\nprice-bump = -1',
      'app.toml:2: evm.mempool.price-bump is -1, but must be an integer from 0 to 1000',
    ],
    [
      '[json-rpc]\napi = "eth,ether"',
      'app.toml:2: json-rpc.api is "eth,ether", but must be names separated by commas, of eth',
    ],
    ['[api]\nenable = "yes"', 'app.toml:2: api.enable is "yes", but must be true or false'],
    ['a = 1\nb = \n', 'app.toml:2:5: Invalid TOML document'],
  ])('names the key, the line and what is allowed in %j', (toml, message) => {
    expect(() => load(toml)).toThrowError(message)
  })

  it('names the flag or the variable that is wrong', () => {
    expect(() => load('', { flags: { 'json-rpc.address': 'x' } })).toThrowError(
      '--json-rpc.address is "x", but must be',
    )
    expect(() => load('', { environment: { CHAIN_PRUNING: 'x' } })).toThrowError('CHAIN_PRUNING is "x", but must be')
  })

  it('refuses what other nodes do and this one does not, and says what does it here', () => {
    expect(() => load('[evm]\ntracer = "json"\n')).toThrowError(
      'app.toml:2: evm.tracer is "json", but must be empty: executions are traced when somebody asks',
    )
    expect(() => load('[json-rpc]\napi = "eth,trace"\n')).toThrowError(
      'json-rpc.api is "eth,trace", but must be names separated by commas, of eth, net, web3, debug, txpool, rpc, clob',
    )
  })

  it('warns of variables that nothing reads, with the name that may be meant', () => {
    const environment = {
      CHAIN_JSON_RPC_ADRESS: '127.0.0.1:1',
      CHAIN_HOME: '/x',
      CHAIN_TEST_ABCI: 'grpc',
      CHAIN_XYZ: '1',
      PATH: '/bin',
    }
    expect(load('', { environment }).warnings).toEqual([
      'the variable CHAIN_JSON_RPC_ADRESS has no effect; did you mean CHAIN_JSON_RPC_ADDRESS?',
      'the variable CHAIN_XYZ has no effect',
    ])
  })

  it('refuses a policy of pruning that there is not, and names the key and what is allowed', () => {
    const refusal = (toml: string): unknown => {
      try {
        return load(toml)
      } catch (error) {
        return error
      }
    }
    expect(refusal('pruning = "some"\n')).toMatchObject({
      codespace: 'cli',
      code: 4,
      message: 'app.toml:1: pruning is "some", but must be one of "default", "nothing", "everything", "custom"',
    })
    expect(refusal('pruning-keep-recent = 1\n')).toMatchObject({
      message: 'app.toml:1: pruning-keep-recent is 1, but must be an integer from 2',
    })
    expect(refusal('pruning-interval = -5\n')).toMatchObject({
      message: 'app.toml:1: pruning-interval is -5, but must be an integer from 0',
    })
    expect(load('pruning-keep-recent = "100"\nhalt-time = 1900000000\n').settings).toMatchObject({
      'pruning-keep-recent': 100,
      'pruning-interval': 0,
      'halt-time': 1_900_000_000,
    })
  })

  it('warns of unknown keys with their line, and proposes the right name', () => {
    expect(load('color = 1\n[json-rpc]\nlogscap = 5\n').warnings).toEqual([
      'app.toml:1: color is no setting and has no effect',
      'app.toml:3: json-rpc.logscap is no setting and has no effect; did you mean json-rpc.logs-cap?',
    ])
  })
})
