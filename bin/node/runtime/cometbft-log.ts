/** Where the lines of CometBFT go: a file of their own, or the output of the node. */
import { errorText } from '../../errors.ts'
import { LogFile } from './log-file.ts'
import type { NodeLog } from './log.ts'

export class CometbftLog {
  readonly #log: NodeLog
  #path: string | undefined
  #file: LogFile | undefined

  constructor(log: NodeLog) {
    this.#log = log
  }

  /** Lines go to standard output without a path. It may be called again: what is open stays open. */
  open(path: string | undefined): void {
    if (path === this.#path) return
    void this.#file?.end()
    this.#path = path
    this.#file =
      path === undefined
        ? undefined
        : new LogFile({
            path,
            keepsLastRun: true,
            onError: (error) => {
              this.#log.error('the log of CometBFT cannot be written, and is tried again in a minute', {
                path,
                reason: errorText(error),
              })
            },
          })
  }

  write(line: string): void {
    if (this.#file === undefined) process.stdout.write(`${line}\n`)
    else this.#file.write(`${line}\n`)
  }

  async end(): Promise<void> {
    await this.#file?.end()
  }
}
