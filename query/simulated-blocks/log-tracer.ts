/** The logs of simulated calls as geth's tracer gathers them, on request with one for every transfer (ERC-7528). */
import { type Address, parseAddress } from '../../core/address.ts'
import { bigintToBytes, padLeft, utf8ToBytes } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import type { ExecuteOptions, FrameEntry, FrameExit, Log } from '../../evm/engine.ts'

const TRANSFER_ADDRESS = parseAddress('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
const TRANSFER_TOPIC = keccak256(utf8ToBytes('Transfer(address,address,uint256)'))

export interface NumberedLog {
  readonly log: Log
  /** Index of the log in the block; the logs of frames that failed have numbers too. */
  readonly index: number
}

type Hooks = Required<Pick<ExecuteOptions, 'onEnter' | 'onExit' | 'onLog' | 'onSelfDestruct'>>

/** Traces the logs of the calls of one block. */
export class LogTracer {
  readonly hooks: Hooks
  readonly #tracesTransfers: boolean
  /** The logs of the open frames. */
  #frames: NumberedLog[][] = []
  #count = 0

  constructor(tracesTransfers: boolean) {
    this.#tracesTransfers = tracesTransfers
    this.hooks = {
      onEnter: (entry) => this.#enter(entry),
      onExit: (exit) => this.#exit(exit),
      onLog: (log) => this.#capture(log),
      onSelfDestruct: (from, to, value) => this.#captureTransfer(from, to, value),
    }
  }

  begin(): void {
    this.#frames = []
  }

  /** Gives the logs of the call that has ended. */
  logs(): readonly NumberedLog[] {
    return this.#frames[0] ?? []
  }

  #enter({ kind, from, to, value }: FrameEntry): void {
    this.#frames.push([])
    if (kind !== 'DELEGATECALL') this.#captureTransfer(from, to, value)
  }

  #exit({ depth, failure }: FrameExit): void {
    if (depth === 1) {
      if (failure !== undefined) this.#frames = []
      return
    }
    const logs = this.#frames.pop() ?? []
    if (failure === undefined) this.#frames.at(-1)?.push(...logs)
  }

  #captureTransfer(from: Address, to: Address, value: bigint): void {
    if (!this.#tracesTransfers || value === 0n) return
    this.#capture({
      address: TRANSFER_ADDRESS,
      topics: [TRANSFER_TOPIC, padLeft(from, 32), padLeft(to, 32)],
      data: padLeft(bigintToBytes(value), 32),
    })
  }

  #capture(log: Log): void {
    this.#frames.at(-1)?.push({ log, index: this.#count++ })
  }
}
