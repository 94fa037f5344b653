/** SIGINT and SIGTERM: the first asks for an orderly stop, the third within it ends the process at once. */

export interface SignalWait {
  readonly received: Promise<NodeJS.Signals>
  dispose(): void
}

const IMPATIENCE = 3

export const untilSignal = (): SignalWait => {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  let count = 0
  const handle = (signal: NodeJS.Signals): void => {
    count++
    resolve(signal)
    // The database survives it: every block is one atomic write.
    if (count >= IMPATIENCE) process.exit(130)
  }
  process.on('SIGINT', handle)
  process.on('SIGTERM', handle)
  return {
    received: promise,
    dispose: () => {
      process.off('SIGINT', handle)
      process.off('SIGTERM', handle)
    },
  }
}
