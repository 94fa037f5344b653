/** The application's side of the channel to its supervisor. */
import { cliError } from '../../errors.ts'
import type { FromApplication, ToApplication } from './messages.ts'
import { sendPulse } from './send-pulse.ts'

export interface SupervisorLink {
  /** Settles with nothing when the supervisor says that it is time to stop. */
  readonly stopped: Promise<undefined>
  /** Settles then, or after that time. */
  stoppedWithin(mostMs: number): Promise<void>
  close(): void
}

/** Says nothing where nobody listens: a supervisor that has ended takes this process along. */
export const tellSupervisor = (message: FromApplication): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

/** Throws cli/1 in a process that nobody supervises. */
export const connectSupervisor = (): SupervisorLink => {
  if (process.send === undefined) throw cliError('usage', 'this command is run by "chain start"')
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>()
  const hear = (message: ToApplication): void => {
    if (message.type === 'stop') resolve(undefined)
  }
  process.on('message', hear)
  sendPulse()
  return {
    stopped,
    stoppedWithin: async (mostMs) => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((settle) => {
        timer = setTimeout(settle, mostMs)
      })
      await Promise.race([stopped, late])
      clearTimeout(timer)
    },
    close: () => {
      process.off('message', hear)
      if (process.connected) process.disconnect()
    },
  }
}
