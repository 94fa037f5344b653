/** Addresses of peers: what CometBFT dials, and by which name others dial this node. */
import * as z from 'zod'
import { parseHostPort } from '../../../core/host-port.ts'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { sha256 } from '../../../core/hash.ts'
import { cliError, errorText } from '../../errors.ts'
import { readSecretJson } from '../secret-json.ts'

/** Lists as config.toml has them: `id@host:port`, separated by commas. */
export interface CometPeers {
  readonly seeds: string
  readonly persistentPeers: string
}

const ID_BYTES = 20
const PUBLIC_KEY_BYTES = 32
const PRIVATE_KEY_BYTES = 64
const PEER = /^([0-9a-f]{40})@(.+)$/

export const splitPeers = (text: string): readonly string[] =>
  text
    .split(',')
    .map((peer) => peer.trim())
    .filter((peer) => peer !== '')

/** The addresses in it that nobody can dial. */
export const malformedPeers = (text: string): readonly string[] =>
  splitPeers(text).filter((peer) => {
    const address = parseHostPort(PEER.exec(peer)?.[2] ?? '')
    return address === undefined || address.port === 0
  })

/** The list without spaces. Throws cli/4; `where` names the flag or the key. */
export const parsePeers = (text: string, where: string): string => {
  const [wrong] = malformedPeers(text)
  if (wrong === undefined) return splitPeers(text).join(',')
  throw cliError(
    'settings',
    `${where} has "${wrong}", but must be <node id>@<host>:<port>, several with commas between: a node id is 40 hexadecimal digits, as "chain status" prints it`,
  )
}

const nodeKey = z.object({ priv_key: z.object({ type: z.literal('tendermint/PrivKeyEd25519'), value: z.string() }) })

/** The id by which peers know the node of that key file (CometBFT's address of an ed25519 key). Throws cli/2. */
export const readNodeId = (path: string): string => {
  try {
    const key = Buffer.from(nodeKey.parse(readSecretJson(path)).priv_key.value, 'base64')
    if (key.length !== PRIVATE_KEY_BYTES) throw cliError('homeMissing', `a key of ${key.length} bytes`)
    return bytesToUnprefixedHex(sha256(key.subarray(PUBLIC_KEY_BYTES)).subarray(0, ID_BYTES))
  } catch (error) {
    throw cliError('homeMissing', `${path} is missing or holds no ed25519 node key: ${errorText(error)}`)
  }
}
