/**
 * Stops a node at a height, at a time or before an upgrade that it does not know, exactly: no block after that one is
 * executed, however fast they come.
 */
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

/** `onHalt` is called once, with the setting that was reached, or with why the next block cannot be executed here. */
export const createHalt = (
  { height, timeSeconds }: HaltSettings,
  onHalt: (reason: string | Error) => void,
  /** Asked after every block. */
  nextBlockFault: () => Error | undefined = () => undefined,
): Halt => {
  const released = Promise.withResolvers<void>()
  let reached = false
  const reachedSetting = (at: number, atSeconds: number): string | undefined => {
    if (height > 0 && at >= height) return `halt-height ${height}`
    return timeSeconds > 0 && atSeconds >= timeSeconds ? `halt-time ${timeSeconds}` : undefined
  }
  return {
    committed: (at, atSeconds) => {
      const reason = reached ? undefined : (nextBlockFault() ?? reachedSetting(at, atSeconds))
      if (reason === undefined) return
      reached = true
      onHalt(reason)
    },
    guard: (handlers) => guardHalted(handlers, () => reached, released.promise),
    release: () => released.resolve(),
  }
}
