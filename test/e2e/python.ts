/** Python for the clients and programs of the tests that are written in it. Nothing here is installed by the tests. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { invariant } from '../../core/errors.ts'
import { repository } from './harness.ts'

/** The interpreter that has web3.py, as scripts/setup.sh lays it down; undefined without it. */
export const findWeb3Python = (): string | undefined => {
  const environment = readFileSync(join(repository, 'scripts', 'environment.sh'), 'utf8')
  const version = /^WEB3_VERSION=(.+)$/m.exec(environment)?.[1]
  invariant(version !== undefined, 'scripts/environment.sh names the version of web3.py')
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const folder = join(cache, 'nat-chain', `web3-${version}`)
  return existsSync(join(folder, '.installed')) ? join(folder, 'bin', 'python') : undefined
}

const VERSION_CHECK = 'import sys; sys.exit(sys.version_info < (3, 10))'

/** The Python of web3.py, whose hashes are quick, else any Python from 3.10 on: test/audit needs no packages. */
export const findPython = (): string | undefined =>
  [findWeb3Python(), 'python3'].find((python) => {
    if (python === undefined) return false
    try {
      execFileSync(python, ['-c', VERSION_CHECK], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
