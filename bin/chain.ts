/** The command line. The supervisor of a node lives as long as the node: it does without the code of all commands. */

/** They run for months: what they say is worth less than that they go on. */
const NODE_COMMANDS: ReadonlySet<string> = new Set(['start', 'application', 'gateway', 'devnet', 'devnet-application'])
const [, , command = ''] = process.argv

// Whoever read the output has gone, such as head or a log collector: the work goes on, for it may be half done. A node
// goes on as well where its log cannot be written, as on a disk that is full; the output of another command is its work.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && !NODE_COMMANDS.has(command)) throw error
  })
}

if (command === 'start') {
  const { startCommand } = await import('./cli/commands/start.ts')
  await startCommand(process.argv.slice(3))
} else if (command === 'devnet') {
  const { startDevnetCommand } = await import('./cli/commands/start-devnet.ts')
  await startDevnetCommand(process.argv.slice(3))
} else if (command === 'upgrade' && process.argv[3] === 'run' && !process.argv.includes('--help')) {
  const { runUpgradesCommand } = await import('./cli/commands/run-upgrades.ts')
  await runUpgradesCommand(process.argv.slice(4))
} else {
  const { runProgram } = await import('./program.ts')
  await runProgram()
}
