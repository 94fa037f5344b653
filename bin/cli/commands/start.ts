/** `chain start`: the supervisor of a node. It loads nothing of the chain: the application reads the arguments. */
import { CometbftLog } from '../../node/runtime/cometbft-log.ts'
import { createLog } from '../../node/runtime/log.ts'
import { superviseNode } from '../../node/supervise/supervise-node.ts'

/** Sets the exit status once the node has ended. */
export const startCommand = async (args: readonly string[]): Promise<void> => {
  const log = createLog({ format: process.stderr.isTTY ? 'plain' : 'json' })
  const supervisor = log.of('supervisor')
  const cometbft = new CometbftLog(supervisor)
  process.exitCode = await superviseNode({
    args,
    log: supervisor,
    isForPeople: process.stderr.isTTY,
    onLogging: (plan) => {
      log.configure(plan)
      cometbft.open(plan.cometbftFile)
    },
    onLine: (part, line, stream) => {
      // The log of application and gateway is that of the node.
      if (part === 'cometbft') cometbft.write(line)
      else if (part === 'application' || stream === 'stderr') process.stderr.write(`${line}\n`)
      else process.stdout.write(`${line}\n`)
    },
  })
  await cometbft.end()
}
