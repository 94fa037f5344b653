/** `chain devnet`: the supervisor of a devnet, which shows on the terminal what needs a look and logs the rest. */
import { CometbftLog } from '../../node/runtime/cometbft-log.ts'
import { createLog } from '../../node/runtime/log.ts'
import { LogFile } from '../../node/runtime/log-file.ts'
import { superviseNode } from '../../node/supervise/supervise-node.ts'

/** Finds lines that need no look, in both formats of the log. */
const NO_LOOK = /^\S+ (?:info|debug) |^\{"level":"(?:info|debug)"/

/** Sets the exit status once the devnet has ended. */
export const startDevnetCommand = async (args: readonly string[]): Promise<void> => {
  let file: LogFile | undefined
  const write = (line: string): void => {
    file?.write(line)
    if (!NO_LOOK.test(line)) process.stderr.write(line)
  }
  const log = createLog({ write })
  const supervisor = log.of('supervisor')
  const cometbft = new CometbftLog(supervisor)
  process.exitCode = await superviseNode({
    command: 'devnet-application',
    args,
    log: supervisor,
    isForPeople: true,
    onLogging: (plan) => {
      log.configure(plan)
      cometbft.open(plan.cometbftFile)
    },
    onLogFile: (path) => {
      // The chain says for itself what a full disk means to it.
      file ??= new LogFile({
        path,
        onError: (error) =>
          process.stderr.write(`the log cannot be written, and is tried again in a minute: ${error.message}\n`),
      })
    },
    onLine: (part, line, stream) => {
      if (part === 'cometbft') cometbft.write(line)
      else if (part !== 'application') file?.write(`${part}: ${line}\n`)
      else if (stream === 'stderr') write(`${line}\n`)
      else process.stdout.write(`${line}\n`)
    },
  })
  await cometbft.end()
  await file?.end()
  if (process.exitCode === 0 && file !== undefined) process.stdout.write('stopped\n')
}
