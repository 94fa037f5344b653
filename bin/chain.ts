/** The command line. The supervisor of a node lives as long as the node: it does without the code of all commands. */

// Whoever read the output has gone, such as head or a log collector: the work goes on, for it may be half done, and a
// validator must not stop for it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

if (process.argv[2] === 'start') {
  const { startCommand } = await import('./commands/start.ts')
  await startCommand(process.argv.slice(3))
} else if (process.argv[2] === 'devnet') {
  const { startDevnetCommand } = await import('./commands/start-devnet.ts')
  await startDevnetCommand(process.argv.slice(3))
} else {
  const { runProgram } = await import('./program.ts')
  await runProgram()
}
