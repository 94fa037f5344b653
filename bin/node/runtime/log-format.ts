/** How the setting log-format is understood in this process. */
import type { LogFormat } from './log.ts'

/** Set by a supervisor that writes to a terminal: the output of its children is a pipe. */
export const FOR_PEOPLE = 'NAT_LOG_FOR_PEOPLE'

export const logFormatOf = (setting: 'auto' | LogFormat): LogFormat => {
  if (setting !== 'auto') return setting
  return process.stderr.isTTY || process.env[FOR_PEOPLE] === '1' ? 'plain' : 'json'
}
