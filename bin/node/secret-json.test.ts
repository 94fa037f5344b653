/** Files with private keys that are cut short or edited by hand: what is said of them is said in logs, too. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { errorText } from '../errors.ts'
import { readBridgeKeys } from './bridge/bridge-keys.ts'
import { readNodeId } from './config/peers.ts'
import { readValidatorPublicKey } from './genesis/validator-keys.ts'
import { readSecretJson } from './secret-json.ts'

const folder = mkdtempSync(join(tmpdir(), 'secret-json-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each<readonly [string, (path: string) => unknown]>([
  ['of the bridge', (bridgeKey) => readBridgeKeys({ bridgeKey })],
  ['of the node', readNodeId],
  ['of the validator', readValidatorPublicKey],
  ['of anything', readSecretJson],
])('a file with a key %s that is no JSON is quoted by no message', (_, read) => {
  const path = join(folder, 'key.json')
  const secret = '0123456789abcdef'
  for (const text of [`{"keys": ${secret}}`, `{"keys": "${secret}`, `x${secret}`, secret.repeat(4)]) {
    writeFileSync(path, text)
    let said = ''
    try {
      read(path)
    } catch (error) {
      said = errorText(error)
    }
    expect(said).toMatch(/(^|: )it is no JSON$/)
    expect(said).not.toMatch(/0123|3456|6789|9abc|cdef/)
  }
})
