/** The commands. Each is loaded when it is asked for, so that none waits for the others' code. */
import { Command } from 'commander'
import { registerDebug } from './commands/debug.ts'
import { registerKeys } from './commands/keys.ts'
import { registerQuery } from './commands/query.ts'
import { registerDevnet } from './commands/register-devnet.ts'
import { registerEvm } from './commands/register-evm.ts'
import { registerExport } from './commands/register-export.ts'
import { registerFeed } from './commands/register-feed.ts'
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
import { reportError } from './report-error.ts'
import { VERSION } from './version.ts'

const createProgram = (): Command => {
  const program = new Command('chain').description('nat-chain: a node with an EVM under CometBFT').version(VERSION)
  for (const add of [
    registerInit,
    registerGenesis,
    registerTestnet,
    registerStart,
    registerGateway,
    registerFeed,
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

/** Runs the command that was given, and sets the exit status. */
export const runProgram = async (): Promise<void> => {
  try {
    await createProgram().parseAsync()
  } catch (error) {
    reportError(error)
  }
}
