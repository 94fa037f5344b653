/** The script that makes a home in a container, run as it stands: "chain" is that of this checkout. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { repository } from './harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'docker-init-'))
const home = join(folder, 'home')
const secretFile = join(folder, 'queries')
beforeAll(() => symlinkSync(join(repository, 'chain'), join(folder, 'chain')))
afterAll(() => rmSync(folder, { recursive: true }))

const run = (more: Readonly<Record<string, string>> = {}): Promise<{ status: number; stderr: string }> => {
  const PATH = `${folder}:${process.env['PATH'] ?? ''}`
  const env = { ...process.env, PATH, CHAIN_HOME: home, QUERIES_SECRET_FILE: secretFile, ...more }
  return new Promise((resolve) => {
    execFile(join(repository, 'docker/init.sh'), { env }, (error, _stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), stderr }),
    )
  })
}

const genesis = (): string => readFileSync(join(home, 'config/genesis.json'), 'utf8')

it('goes on where it was interrupted, and leaves a home that is made as it is', async () => {
  const unreachable = await run({ CHAIN_ID: 'nat-2517-1', GENESIS_URL: 'http://127.0.0.1:1' })
  expect(unreachable.status).toBe(1)
  expect(existsSync(join(home, 'config/genesis.json'))).toBe(true)
  const secret = readFileSync(secretFile, 'utf8')
  expect(secret).toMatch(/^[0-9a-f]{64}$/)

  expect(await run()).toMatchObject({ status: 0 })
  const made = genesis()
  expect(made).toContain('"chain_id": "localnat-1"')
  expect(made).toContain('BOND_STATUS_BONDED')

  const again = await run({ CHAIN_ID: 'nat-2517-1' })
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('genesis.json exists')])
  expect([genesis(), readFileSync(secretFile, 'utf8')]).toEqual([made, secret])
})
