/** The keys with which a validator signs for the bridge: config/bridge_key.json, which nobody else may read. */
import { randomBytes } from 'node:crypto'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import * as z from 'zod'
import type { BridgeKeys } from '../../../app/environment.ts'
import { signForBridge } from '../../../core/bridge-signature.ts'
import { equalBytes, plainBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { bytesToHex, hexToBytes } from '../../../core/hex.ts'
import { privateKeyToAddress } from '../../../core/signature.ts'
import { cliError, errorText } from '../../errors.ts'
import type { Home } from '../config/home.ts'
import { readSecretJson } from '../secret-json.ts'

export interface BridgeKey {
  readonly address: Uint8Array
  readonly privateKey: Uint8Array
}

/** Nobody needs so many: a key that no set names any more should be deleted. */
const MOST_KEYS = 16

const keyFile = z.object({
  keys: z
    .array(z.object({ address: z.string(), private_key: z.string().regex(/^0x[0-9a-f]{64}$/) }))
    .min(1)
    .max(MOST_KEYS),
})

/** Reads the keys, the newest one last; none where the home has no file. Throws cli/23. */
export const readBridgeKeys = ({ bridgeKey }: Pick<Home, 'bridgeKey'>): readonly BridgeKey[] => {
  if (!existsSync(bridgeKey)) return []
  try {
    return keyFile.parse(readSecretJson(bridgeKey)).keys.map(({ address, private_key }) => {
      const privateKey = hexToBytes(private_key)
      const key = { address: privateKeyToAddress(privateKey), privateKey }
      if (bytesToHex(key.address) === address) return key
      throw cliError('bridgeKey', `${bytesToHex(key.address)} is the address of a key, and not ${address}`)
    })
  } catch (error) {
    throw cliError('bridgeKey', `${bridgeKey} holds no keys of the bridge: ${errorText(error)}`)
  }
}

/** Adds a key behind those that are there. Throws cli/23. */
export const addBridgeKey = (home: Pick<Home, 'bridgeKey'>): BridgeKey => {
  const before = readBridgeKeys(home)
  if (before.length >= MOST_KEYS) {
    throw cliError('bridgeKey', `${home.bridgeKey} holds ${MOST_KEYS} keys: delete those that no set names any more`)
  }
  const privateKey = plainBytes(randomBytes(32))
  const key = { address: privateKeyToAddress(privateKey), privateKey }
  const keys = [...before, key].map((each) => ({
    address: bytesToHex(each.address),
    private_key: bytesToHex(each.privateKey),
  }))
  // A file that is cut short would lose the keys that were there.
  const next = `${home.bridgeKey}.new`
  writeFileSync(next, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(next, home.bridgeKey)
  return key
}

/** Returns the newest key, and makes one where there is none. Throws cli/23. */
export const ensureBridgeKey = (home: Pick<Home, 'bridgeKey'>): BridgeKey =>
  readBridgeKeys(home).at(-1) ?? addBridgeKey(home)

/** The keys as the application takes them; undefined where there are none. */
export const toBridgeKeys = (keys: readonly BridgeKey[]): BridgeKeys | undefined =>
  keys.length === 0
    ? undefined
    : {
        addresses: keys.map(({ address }) => address),
        sign: (address, digest) => {
          const key = keys.find((each) => equalBytes(each.address, address))
          invariant(key !== undefined, 'what signs for the bridge is one of its keys')
          return signForBridge(digest, key.privateKey)
        },
      }
