/** Tells whoever started this process that its event loop turns; says nothing to a process that nobody supervises. */
import { type FromApplication, PULSE_MS } from './messages.ts'

export const sendPulse = (): void => {
  const pulse: FromApplication = { type: 'pulse' }
  // A channel that is closed is that of a supervisor that has ended, and of which the kernel tells.
  setInterval(() => process.connected && process.send?.(pulse, undefined, undefined, () => undefined), PULSE_MS).unref()
}
