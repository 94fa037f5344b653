/** Questions to whoever runs a command: lines of standard input, with a prompt on a terminal. */
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { isatty } from 'node:tty'
import { cliError } from '../../errors.ts'

/** Swallows what readline echoes while a password is typed. */
class Echo extends Writable {
  isMuted = false

  override _write(chunk: Buffer | string, _encoding: string, done: () => void): void {
    if (!this.isMuted) process.stderr.write(chunk)
    done()
  }
}

/** Reads lines in order, however they arrive. Standard output stays free for results: prompts go to standard error. */
export class Terminal {
  // Not by process.stdin, which would change how standard input is read.
  readonly isInteractive = isatty(0)
  readonly #echo = new Echo()
  readonly #lines: string[] = []
  #interface: Interface | undefined
  #waiting: ((line: string | undefined) => void) | undefined
  #isClosed = false

  /** Undefined at the end of the input. */
  async #line(): Promise<string | undefined> {
    this.#open()
    const line = this.#lines.shift()
    if (line !== undefined || this.#isClosed) return line
    return await new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  #open(): void {
    if (this.#interface !== undefined) return
    const terminal = this.isInteractive
    this.#interface = createInterface({ input: process.stdin, output: this.#echo, terminal })
    this.#interface.on('line', (line) => this.#deliver(line))
    this.#interface.on('close', () => {
      this.#isClosed = true
      this.#waiting?.(undefined)
    })
    // Ctrl-C at a question ends the command as it does anywhere else.
    this.#interface.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  }

  #deliver(line: string): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting === undefined) this.#lines.push(line)
    else waiting(line)
  }

  /** Throws cli/1 when the input ends without an answer. */
  async ask(prompt: string, isHidden = false): Promise<string> {
    this.#open()
    if (this.isInteractive) {
      this.#interface?.setPrompt(`${prompt}: `)
      this.#interface?.prompt()
    }
    this.#echo.isMuted = isHidden
    const line = await this.#line()
    this.#echo.isMuted = false
    if (isHidden && this.isInteractive) process.stderr.write('\n')
    if (line === undefined) throw cliError('usage', `nothing on standard input for: ${prompt}`)
    // A password may begin or end with a blank, as in a file.
    return isHidden ? line : line.trim()
  }

  async confirm(question: string): Promise<boolean> {
    return /^y(?:es)?$/i.test(await this.ask(`${question} [y/N]`))
  }

  /** Or the process would wait for more input. */
  close(): void {
    this.#interface?.close()
  }
}
