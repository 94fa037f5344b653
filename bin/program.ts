/** The commands. Each is loaded when it is asked for, so that none waits for the others' code. */
import { Command } from 'commander'
import { registerBridge } from './cli/commands/bridge.ts'
import { registerClob } from './cli/commands/clob.ts'
import { registerDebug } from './cli/commands/debug.ts'
import { registerKeys } from './cli/commands/keys.ts'
import { registerQuery } from './cli/commands/query.ts'
import { registerDevnet } from './cli/commands/register-devnet.ts'
import { registerDoctor } from './cli/commands/register-doctor.ts'
import { registerEvm } from './cli/commands/register-evm.ts'
import { registerExport } from './cli/commands/register-export.ts'
import { registerFeed } from './cli/commands/register-feed.ts'
import { registerGateway } from './cli/commands/register-gateway.ts'
import { registerGenesis } from './cli/commands/register-genesis.ts'
import { registerInit } from './cli/commands/register-init.ts'
import { registerInspect } from './cli/commands/register-inspect.ts'
import { registerJoin } from './cli/commands/register-join.ts'
import { registerReplay } from './cli/commands/register-replay.ts'
import { registerRollback } from './cli/commands/register-rollback.ts'
import { registerSnapshot } from './cli/commands/register-snapshot.ts'
import { registerStart } from './cli/commands/register-start.ts'
import { registerStatus } from './cli/commands/register-status.ts'
import { registerTestnet } from './cli/commands/register-testnet.ts'
import { registerUpgrade } from './cli/commands/register-upgrade.ts'
import { registerVerify } from './cli/commands/register-verify.ts'
import { registerVerifyProof } from './cli/commands/register-verify-proof.ts'
import { registerVersion } from './cli/commands/register-version.ts'
import { throwOnMisuse } from './cli/commands/throw-on-misuse.ts'
import { registerTx } from './cli/commands/tx.ts'
import { reportError } from './report-error.ts'
import { VERSION } from './version.ts'

export const createProgram = (): Command => {
  const program = new Command('chain').description('nat-chain: a node with an EVM under CometBFT').version(VERSION)
  for (const add of [
    registerInit,
    registerGenesis,
    registerTestnet,
    registerJoin,
    registerStart,
    registerGateway,
    registerFeed,
    registerDevnet,
    registerStatus,
    registerDoctor,
    registerUpgrade,
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
    registerClob,
    registerBridge,
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
