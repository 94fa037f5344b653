/** The commands below `chain bridge`. */
import { Command } from 'commander'
import { checksumAddress } from '../../../core/address.ts'
import { addBridgeKey, ensureBridgeKey } from '../../node/bridge/bridge-keys.ts'
import { requireWritableFolder } from '../../node/config/home.ts'
import { dirname } from 'node:path'
import { type Flags, homeOf, withHome } from '../client/flags.ts'

export const createBridgeProgram = (): Command => {
  const program = new Command('chain bridge')
  withHome(program.command('key'))
    .description('print the address of the key that signs for the bridge; it is made where there is none')
    .option('--new', 'make another key behind those that are there: former sets are signed by the former ones')
    .action((flags: Flags) => {
      const home = homeOf(flags)
      requireWritableFolder(dirname(home.bridgeKey))
      const { address } = flags['new'] === true ? addBridgeKey(home) : ensureBridgeKey(home)
      process.stdout.write(`${checksumAddress(address)}\n`)
    })
  return program
}
