/** Stops a node at a height or a time, exactly: no block after that one is executed, however fast they come. */
import { guardHalted } from '../../abci/halt-guard.ts'
import type { AbciHandlers } from '../../abci/handlers.ts'

export interface HaltSettings {
  /** 0 never. */
  readonly height: number
  /** Seconds since 1970; 0 never. */
  readonly timeSeconds: number
}

export interface Halt {
  /** Told of every committed block, before CometBFT is. */
  committed(height: number, timeSeconds: number): void
  /** The handlers, which do nothing more once the halt is reached. */
  guard(handlers: AbciHandlers): AbciHandlers
  /** Ends the calls that are held back; after their connections were closed. */
  release(): void
}

/** `onHalt` is called once, with the setting that was reached. */
export const createHalt = ({ height, timeSeconds }: HaltSettings, onHalt: (reason: string) => void): Halt => {
  const released = Promise.withResolvers<void>()
  let reached = false
  const reachedSetting = (at: number, atSeconds: number): string | undefined => {
    if (height > 0 && at >= height) return `halt-height ${height}`
    return timeSeconds > 0 && atSeconds >= timeSeconds ? `halt-time ${timeSeconds}` : undefined
  }
  return {
    committed: (at, atSeconds) => {
      const reason = reached ? undefined : reachedSetting(at, atSeconds)
      if (reason === undefined) return
      reached = true
      onHalt(reason)
    },
    guard: (handlers) => guardHalted(handlers, () => reached, released.promise),
    release: () => released.resolve(),
  }
}
