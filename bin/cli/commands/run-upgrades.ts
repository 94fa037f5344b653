/** `chain upgrade run`, without the code of all other commands: it lives as long as the chain. */
import { reportError } from '../../report-error.ts'
import { runUpgrades } from '../upgrade/run-upgrades.ts'

/** Sets the exit status once the node has ended for good. */
export const runUpgradesCommand = async (args: readonly string[]): Promise<void> => {
  try {
    process.exitCode = await runUpgrades({ args, say: (line) => void process.stderr.write(`${line}\n`) })
  } catch (error) {
    reportError(error)
  }
}
