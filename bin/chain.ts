/** The command line. Each command is loaded when it is asked for, so that none waits for the others' code. */
import { Command, CommanderError } from 'commander'
import { CodedError } from '../core/errors.ts'
import { registerDebug } from './commands/debug.ts'
import { registerKeys } from './commands/keys.ts'
import { registerQuery } from './commands/query.ts'
import { registerDevnet } from './commands/register-devnet.ts'
import { registerEvm } from './commands/register-evm.ts'
import { registerExport } from './commands/register-export.ts'
import { registerGateway } from './commands/register-gateway.ts'
import { registerGenesis } from './commands/register-genesis.ts'
import { registerInit } from './commands/register-init.ts'
import { registerInspect } from './commands/register-inspect.ts'
import { registerReplay } from './commands/register-replay.ts'
import { registerRollback } from './commands/register-rollback.ts'
import { registerSnapshot } from './commands/register-snapshot.ts'
import { registerStart } from './commands/register-start.ts'
import { registerStatus } from './commands/register-status.ts'
import { registerTestnet } from './commands/register-testnet.ts'
import { registerVerify } from './commands/register-verify.ts'
import { registerVerifyProof } from './commands/register-verify-proof.ts'
import { registerVersion } from './commands/register-version.ts'
import { throwOnMisuse } from './commands/throw-on-misuse.ts'
import { registerTx } from './commands/tx.ts'
import { CLI_CODES, errorText } from './errors.ts'
import { VERSION } from './version.ts'

/** Exit status of a command that was written wrongly; any other failure is 1. */
const USAGE_STATUS = 2

const createProgram = (): Command => {
  const program = new Command('chain').description('nat-chain: a node with an EVM under CometBFT').version(VERSION)
  for (const add of [
    registerInit,
    registerGenesis,
    registerTestnet,
    registerStart,
    registerGateway,
    registerDevnet,
    registerStatus,
    registerVersion,
    registerVerifyProof,
    registerExport,
    registerReplay,
    registerInspect,
    registerVerify,
    registerRollback,
    registerSnapshot,
    registerEvm,
    registerKeys,
    registerTx,
    registerQuery,
    registerDebug,
  ])
    add(program)
  return throwOnMisuse(program)
}

// Whoever read the output has gone, such as head or a log collector: the work goes on, for it may be half done, and a
// validator must not stop for it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

const report = (error: unknown): void => {
  if (error instanceof CommanderError) {
    // It has said why; 0 stands for a help or a version that was asked for.
    process.exitCode = error.exitCode === 0 ? 0 : USAGE_STATUS
    return
  }
  const isCoded = error instanceof CodedError
  // A fault of ours shows where it came from; a refusal says what to do, and the system's names the path and the reason.
  const isFault = error instanceof Error && !isCoded && !('syscall' in error)
  process.stderr.write(`Error: ${isFault ? (error.stack ?? error.message) : errorText(error)}\n`)
  process.exitCode = isCoded && error.codespace === 'cli' && error.code === CLI_CODES.usage ? USAGE_STATUS : 1
}

try {
  await createProgram().parseAsync()
} catch (error) {
  report(error)
}
