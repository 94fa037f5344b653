/** `chain evm`: tools of the EVM. */
import { type Command, Option } from 'commander'
import { type Flags } from './flags.ts'

const ENGINES = ['interpreter', 'ethereumjs'] as const

export const registerEvm = (program: Command): void => {
  program
    .command('evm')
    .description('tools of the EVM')
    .command('statetest [files...]')
    .description(
      "run Ethereum state tests with the output of geth's command of that name; names on stdin without files",
    )
    .option('--trace', 'write EIP-3155 lines to standard error')
    .addOption(
      new Option('--engine <name>', "the node's own, or the reference").choices(ENGINES).default('interpreter'),
    )
    .option('--trace.format <format>', 'accepted for goevmlab: json')
    .option('--trace.nomemory [flag]', 'accepted for goevmlab: memory is never written')
    .option('--trace.noreturndata [flag]', 'accepted for goevmlab: return data is never written')
    .action(async (files: readonly string[], flags: Flags) => {
      const { stateTestCommand } = await import('./evm-statetest.ts')
      const io = {
        stdout: (text: string): void => void process.stdout.write(text),
        stderr: (text: string): void => void process.stderr.write(text),
      }
      process.exitCode = await stateTestCommand(
        files,
        { trace: flags['trace'] === true, engine: flags['engine'] === 'ethereumjs' ? 'ethereumjs' : 'interpreter' },
        io,
      )
    })
}
