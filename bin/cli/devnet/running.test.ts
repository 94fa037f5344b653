/** How commands find the devnet of this machine, and that they take no other program for it. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEFAULT_HOME, openHome } from '../../node/config/home.ts'
import { findDevnet } from './running.ts'

const { CHAIN_HOME, DEVNET_HOME } = process.env
let home = ''

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'running-devnet-'))
  mkdirSync(join(home, 'devnet'))
  delete process.env['CHAIN_HOME']
  process.env['DEVNET_HOME'] = home
})

afterEach(() => {
  rmSync(home, { recursive: true, force: true })
  for (const [name, value] of Object.entries({ CHAIN_HOME, DEVNET_HOME })) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

const record = (pid: number): void => {
  const running = {
    pid,
    settings: { 'json-rpc.address': '127.0.0.1:8545' },
    cometRpc: 'tcp://a:1',
    cometP2p: 'tcp://a:2',
  }
  writeFileSync(join(home, 'devnet', 'running.json'), JSON.stringify(running))
}

test.skipIf(existsSync(openHome(DEFAULT_HOME).genesis))(
  'a killed devnet is not found, whoever has its number now',
  async () => {
    const sleeper = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)', 'devnet-application'], {
      stdio: 'ignore',
    })
    try {
      await new Promise((resolve) => sleeper.once('spawn', resolve))
      record(sleeper.pid ?? 0)
      await expect.poll(() => findDevnet()?.home).toBe(home)
      // This process is alive, and no devnet.
      record(process.pid)
      expect(findDevnet()).toBeUndefined()
    } finally {
      sleeper.kill()
      await new Promise((resolve) => sleeper.once('exit', resolve))
    }
    record(sleeper.pid ?? 0)
    expect(findDevnet()).toBeUndefined()
  },
)
