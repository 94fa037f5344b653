/** What the supervisor and the processes that it runs say to each other, over the channel of process.send. */

import type { LogFormat } from '../runtime/log.ts'
import type { LogLevels } from '../runtime/log-level.ts'

/** Between two pulses of a process. */
export const PULSE_MS = 1_000

/**
 * Exit status of an application that must not be started again: it has said why. Any other than this and 0 is a crash.
 * (EX_SOFTWARE of sysexits.h.)
 */
export const FINAL_STATUS = 70

export interface CometbftPlan {
  readonly binary: string
  readonly home: string
  readonly transport: 'socket' | 'grpc'
  /** Listen addresses. */
  readonly rpc: string
  readonly p2p: string
  /** Peers to dial, as config.toml has them. */
  readonly seeds: string
  readonly persistentPeers: string
  /** Path of the socket on which it waits for the program that signs; left out where it has none. */
  readonly signerSocket?: string
}

/** How the node writes its log, by its settings. */
export interface LoggingPlan {
  readonly levels: LogLevels
  readonly format: LogFormat
  /** Where the lines of CometBFT go; left out where they go to the output of the node. */
  readonly cometbftFile?: string
}

export type FromApplication =
  /** A devnet says that its log goes to that file. */
  | { readonly type: 'logging'; readonly file: string }
  /** Its settings are sound: the gateway may load while it opens its database. */
  | {
      readonly type: 'planned'
      readonly logging: LoggingPlan
      readonly cometbft?: CometbftPlan
      readonly gatewayArguments?: readonly string[]
      /** Path of the socket to which the daemon of the bridge connects; left out where none runs. */
      readonly bridgeSocket?: string
    }
  /** It waits for CometBFT there, as the ABCI server names it. */
  | { readonly type: 'listening'; readonly proxyApp: string }
  /** It wants to end: the others end first, in order, and then it is told to. */
  | { readonly type: 'stopping' }
  | { readonly type: 'pulse' }

export type ToApplication = { readonly type: 'stop' }
