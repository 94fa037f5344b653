/** `chain export`: a height as the genesis of a new chain. */
import type { Command } from 'commander'
import { type Flags, homeOf, homeOption, parseHeight, say, textOf } from './flags.ts'

export const registerExport = (program: Command): void => {
  program
    .command('export')
    .description('write the state of a height of a stopped node as the genesis file of a chain that continues from it')
    .option('--height <number>', 'height to export, which must be kept; the head when left out', parseHeight)
    .option('--output <file>', 'file to write; <chain id>-<height>.json when left out')
    .option('--chain-id <id>', 'chain id of the new chain; that of the old one when left out')
    .addOption(homeOption())
    .action(async (flags: Flags) => {
      const { exportGenesis } = await import('./export.ts')
      const { height } = flags
      const output = textOf(flags, 'output')
      const chainId = textOf(flags, 'chainId')
      const exported = await exportGenesis({
        home: homeOf(flags),
        ...(typeof height === 'number' ? { height } : {}),
        ...(output === undefined ? {} : { output }),
        ...(chainId === undefined ? {} : { chainId }),
      })
      say(`${exported.path}: state ${exported.stateRoot} of height ${exported.height}, ${exported.bytes} bytes`)
    })
}
