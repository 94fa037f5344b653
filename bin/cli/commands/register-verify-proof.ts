/** `chain verify-proof`: a reply with a proof, checked. */
import type { Command } from 'commander'
import { type Flags, say, textOf } from './flags.ts'

export const registerVerifyProof = (program: Command): void => {
  program
    .command('verify-proof [file]')
    .description(
      'check a reply of abci_query or eth_getProof, from a file or standard input; exit status 0 when proven',
    )
    .option('--app-hash <hex>', 'for abci_query: app_hash of the consensus header of the next height')
    .option('--module <name>', 'for abci_query: the module whose store was asked')
    .option('--state-root <hex>', 'for eth_getProof: stateRoot of the block')
    .action(async (file: string | undefined, flags: Flags) => {
      const { verifyProofCommand } = await import('./verify-proof.ts')
      const [appHash, module, stateRoot] = ['appHash', 'module', 'stateRoot'].map((name) => textOf(flags, name))
      for (const line of verifyProofCommand({ file, appHash, module, stateRoot })) say(line)
    })
}
