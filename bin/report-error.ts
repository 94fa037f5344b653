/** Says on standard error why a command failed, and sets the exit status. */
import { CommanderError } from 'commander'
import { CodedError } from '../core/errors.ts'
import { CLI_CODES, errorText } from './errors.ts'
import { escapeControls } from './node/runtime/printable.ts'

/** Exit status of a command that was written wrongly; any other failure is 1. */
const USAGE_STATUS = 2

export const reportError = (error: unknown): void => {
  if (error instanceof CommanderError) {
    // It has said why; 0 stands for a help or a version that was asked for.
    process.exitCode = error.exitCode === 0 ? 0 : USAGE_STATUS
    return
  }
  const isCoded = error instanceof CodedError
  // A fault of ours shows where it came from; a refusal says what to do, and the system's names the path and the reason.
  const isFault = error instanceof Error && !isCoded && !('syscall' in error)
  // What a node that was asked has answered may stand in it.
  const text = escapeControls(isFault ? (error.stack ?? error.message) : errorText(error))
  // By its code docs/errors.md says what to do.
  process.stderr.write(`Error: ${text}${isCoded ? ` (${error.codespace}/${error.code})` : ''}\n`)
  process.exitCode = isCoded && error.codespace === 'cli' && error.code === CLI_CODES.usage ? USAGE_STATUS : 1
}
