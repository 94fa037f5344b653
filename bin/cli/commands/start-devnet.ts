/** `chain devnet`: the supervisor of a devnet, which shows on the terminal what needs a look and logs the rest. */
import { createLog } from '../../node/runtime/log.ts'
import { LogFile } from '../../node/runtime/log-file.ts'
import { superviseNode } from '../../node/supervise/supervise-node.ts'

/** Sets the exit status once the devnet has ended. */
export const startDevnetCommand = async (args: readonly string[]): Promise<void> => {
  let file: LogFile | undefined
  const write = (line: string): void => {
    file?.write(line)
    if (!/^\S+ info /.test(line)) process.stderr.write(line)
  }
  process.exitCode = await superviseNode({
    command: 'devnet-application',
    args,
    log: createLog({ write }),
    onLogFile: (path) => {
      // The chain says for itself what a full disk means to it.
      file ??= new LogFile({
        path,
        onError: (error) => process.stderr.write(`the log is not written any more: ${error.message}\n`),
      })
    },
    onLine: (part, line, stream) => {
      if (part !== 'application') file?.write(`${part}: ${line}\n`)
      else if (stream === 'stderr') write(`${line}\n`)
      else process.stdout.write(`${line}\n`)
    },
  })
  await file?.end()
  if (process.exitCode === 0 && file !== undefined) process.stdout.write('stopped\n')
}
