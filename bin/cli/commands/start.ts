/** `chain start`: the supervisor of a node. It loads nothing of the chain: the application reads the arguments. */
import { createLog } from '../../node/runtime/log.ts'
import { type PartName, superviseNode } from '../../node/supervise/supervise-node.ts'

const printLine = (part: PartName, line: string): void => {
  // The application's log is that of the node.
  const stream = part === 'application' ? process.stderr : process.stdout
  stream.write(`${line}\n`)
}

/** Sets the exit status once the node has ended. */
export const startCommand = async (args: readonly string[]): Promise<void> => {
  process.exitCode = await superviseNode({ args, log: createLog(), onLine: printLine })
}
