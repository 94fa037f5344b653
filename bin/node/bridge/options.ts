/** The flags of the bridge's daemon, as they are given to `chain start`. */
import { MAX_ENDPOINTS } from '../../../daemons/bridge/protocol.ts'
import { cliError } from '../../errors.ts'

export interface BridgeOptions {
  /** URLs of the external chain's JSON-RPC; none: no daemon runs. */
  readonly endpoints: readonly string[]
  /** The node halts when a daemon was unhealthy for longer; undefined never. */
  readonly maxUnhealthySeconds: number | undefined
}

export const DEFAULT_MAX_UNHEALTHY_SECONDS = 300
/** 2^32 - 1 means never. */
const NEVER = 0xffff_ffff
const MAX_URL_CHARACTERS = 2_048

/** What stands in a URL may be a key: messages count instead. */
const readEndpoint = (text: string, index: number): string => {
  const url = URL.parse(text.trim())
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > MAX_URL_CHARACTERS) {
    throw cliError('usage', `--bridge-daemon-eth-rpc-endpoint: endpoint ${index + 1} is no URL of http:// or https://`)
  }
  return url.href
}

const readEndpoints = (text: string | undefined): readonly string[] => {
  if (text === undefined || text.trim() === '') return []
  const parts = text.split(',')
  if (parts.length > MAX_ENDPOINTS) {
    throw cliError('usage', `--bridge-daemon-eth-rpc-endpoint: at most ${MAX_ENDPOINTS} endpoints, not ${parts.length}`)
  }
  const endpoints = parts.map(readEndpoint)
  if (new Set(endpoints).size !== endpoints.length) {
    throw cliError('usage', '--bridge-daemon-eth-rpc-endpoint: an endpoint is named twice, and would count twice')
  }
  return endpoints
}

const readMaxUnhealthySeconds = (text: string | undefined): number | undefined => {
  const seconds = text === undefined ? DEFAULT_MAX_UNHEALTHY_SECONDS : /^[0-9]{1,10}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > NEVER) {
    throw cliError('usage', `--max-daemon-unhealthy-seconds must be 1 to ${NEVER}, which means never`)
  }
  return seconds === NEVER ? undefined : seconds
}

/** Throws cli/1 for what is malformed. */
export const readBridgeOptions = (endpoints: string | undefined, seconds: string | undefined): BridgeOptions => ({
  endpoints: readEndpoints(endpoints),
  maxUnhealthySeconds: readMaxUnhealthySeconds(seconds),
})
