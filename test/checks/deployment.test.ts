/** The files for containers and for systemd, without an engine and without systemd as process 1. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createProgram } from '../../bin/program.ts'

const repository = join(import.meta.dirname, '..', '..')
const COMPOSE = ['docker-compose.yml', 'docker/services.yml', 'docker/testnet/docker-compose.yml']
const UNITS = ['nat-chain.service', 'nat-chain-gateway.service']
const PINNED = /^[\w./-]+:v?\d+\.\d+\.\d+(-[\w-]+)?@sha256:[0-9a-f]{64}$/

interface Service {
  readonly image?: string
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly restart?: string
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly environment?: Readonly<Record<string, string>> | readonly string[]
}

/** Checked by the schema of the Compose Specification. Undefined, with the reason printed, where python3 cannot do that. */
const readCompose = (file: string): Readonly<Record<string, Service>> | undefined => {
  const schema = join(repository, 'test', 'fixtures', 'compose-spec', 'compose-spec.json')
  const script = `
import json, sys
try:
    import jsonschema, yaml
except ImportError as error:
    print(error); sys.exit(3)
document = yaml.safe_load(open(sys.argv[1]))
jsonschema.Draft7Validator(json.load(open(sys.argv[2]))).validate(document)
print(json.dumps(document["services"]))`
  try {
    const text = execFileSync('python3', ['-c', script, join(repository, file), schema], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
    return JSON.parse(text) as Readonly<Record<string, Service>>
  } catch (error) {
    const { status, stdout } = error as { readonly status?: number | null; readonly stdout?: string }
    if (typeof status === 'number' && status !== 3) throw error
    console.log(`skipped: python3 with yaml and jsonschema is needed for ${file}: ${stdout ?? 'no python3'}`)
    return undefined
  }
}

/** Flags of a command that this program does not have. */
const unknownFlags = (words: readonly string[]): readonly string[] => {
  const program = createProgram()
  const named = words[0] === 'devnet' ? 'devnet-application' : words[0] === 'start' ? 'application' : words[0]
  const command = program.commands.find((each) => each.name() === named)
  const known = new Set(command?.options.map(({ long }) => long))
  return words.filter((word) => word.startsWith('--') && !known.has(word.split('=')[0]))
}

describe.each(COMPOSE)('%s', (file) => {
  it('is valid, and its services are pinned, without privileges, healthy and restarted', ({ skip }) => {
    const services = readCompose(file)
    if (services === undefined) return skip('no schema')
    for (const [name, service] of Object.entries(services)) {
      if (service.image !== 'nat-chain') expect(service.image, name).toMatch(PINNED)
      expect(service, name).toMatchObject({
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        read_only: true,
        user: expect.stringMatching(/^(?!root|0)/),
        pids_limit: expect.any(Number),
        mem_limit: expect.any(String),
      })
      for (const port of service.ports ?? []) expect(port).toContain(':-127.0.0.1}:')
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':')
        if (source.startsWith('.')) expect(existsSync(join(repository, file, '..', source)), volume).toBe(true)
      }
      if (service.entrypoint?.[0] === 'chain') expect(unknownFlags(service.command ?? [])).toEqual([])
      if (name === 'init') continue
      expect(service.restart, name).toBe('unless-stopped')
      expect(service.healthcheck?.test.length, name).toBeGreaterThan(2)
    }
  })
})

describe('the image of the node', () => {
  it('is made from images that are pinned by version and digest', () => {
    const dockerfile = readFileSync(join(repository, 'docker', 'Dockerfile'), 'utf8')
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
    expect(images).toHaveLength(2)
    for (const image of images) expect(image).toMatch(PINNED)
  })
})

describe('the health check of a container', () => {
  const script = join(repository, 'docker', 'health.mjs')
  const folder = mkdtempSync(join(tmpdir(), 'health-'))

  /** The process of a service, with a child that stands for the node. */
  const startService = async () => {
    const service = spawn('/bin/sh', ['-c', 'sleep 1000 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [line] = (await once(service.stdout, 'data')) as [Buffer]
    return { service, ended: once(service, 'exit'), node: Number(line.toString()) }
  }
  const isAlive = (pid: number): boolean => {
    try {
      process.kill(pid, 0)
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    } catch {
      return false
    }
  }

  it('ends what hangs, after it has been healthy and has failed so many times, and nothing outside of the image', async () => {
    const { service, ended, node } = await startService()
    let isWell = false
    const server = createServer((_request, response) => {
      response.statusCode = isWell ? 200 : 503
      response.end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const check = async (container = '1'): Promise<number> => {
      const args = [script, url, '--end-after=2', `--first-process=${service.pid}`]
      const env = { ...process.env, TMPDIR: folder, NAT_CHAIN_CONTAINER: container }
      return await promisify(execFile)(process.execPath, args, { env }).then(
        () => 0,
        ({ code }: { readonly code: number }) => code,
      )
    }
    try {
      for (let i = 0; i < 3; i++) expect(await check()).toBe(1)
      isWell = true
      expect(await check()).toBe(0)
      isWell = false
      for (let i = 0; i < 3; i++) expect(await check('')).toBe(1)
      expect(await check()).toBe(1)
      expect(isAlive(node)).toBe(true)
      expect(await check()).toBe(1)
      await ended
      expect(isAlive(node)).toBe(false)
    } finally {
      service.kill('SIGKILL')
      server.close()
      rmSync(folder, { recursive: true })
    }
  })
})

describe.each(UNITS)('%s', (unit) => {
  const path = join(repository, 'docker', 'systemd', unit)

  it('starts a command that there is, and stops it in order', () => {
    const text = readFileSync(path, 'utf8')
    const [, line = ''] = /^ExecStart=(.+)$/m.exec(text) ?? []
    const words = line.split(' ').slice(1)
    const own = words[0] === 'upgrade' ? words.slice(2) : words
    expect(unknownFlags(own)).toEqual([])
    for (const setting of ['KillMode=mixed', 'Restart=on-failure', 'LimitNOFILE=1048576', 'NoNewPrivileges=true']) {
      expect(text).toContain(`\n${setting}\n`)
    }
    for (const written of text.split('\n')) expect(written).toMatch(/^($|#|\[\w+\]$|[A-Z]\w+=)/)
  })

  it('is understood by systemd', ({ skip }) => {
    try {
      execFileSync('systemd-analyze', ['--version'], { stdio: 'pipe' })
    } catch {
      console.log('skipped: systemd-analyze is not here')
      return skip('no systemd-analyze')
    }
    let said = ''
    try {
      execFileSync('systemd-analyze', ['verify', '--man=no', path], { stdio: 'pipe', encoding: 'utf8' })
    } catch (error) {
      said = (error as { readonly stderr?: string }).stderr ?? ''
    }
    // The program is not installed here, and there is nothing else to say of the file.
    const lines = said.split('\n').filter((line) => line.includes(unit) && !/is not executable/.test(line))
    expect(lines).toEqual([])
  })
})
