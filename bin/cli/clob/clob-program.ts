/** The commands below `chain clob`. */
import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError } from 'commander'
import * as z from 'zod'
import { hexToBytes } from '../../../core/hex.ts'
import { cliError, errorText } from '../../errors.ts'
import { parseCount } from '../client/flags.ts'
import { CometClient, DEFAULT_NODE } from '../client/comet-client.ts'
import { type Flags, say, textOf } from '../commands/flags.ts'
import { auditClob } from './audit.ts'
import { describeAudit } from './audit-report.ts'

const HASH = /^(?:0x)?([0-9a-fA-F]{64})$/

const parseHash = (text: string): Uint8Array => {
  const digits = HASH.exec(text)?.[1]
  if (digits === undefined) throw new InvalidArgumentError('must have 32 bytes in hexadecimal')
  return hexToBytes(`0x${digits}`)
}

const JSON_RPC_PORT = 8545

/** JSON-RPC at its usual port of the machine whose consensus RPC is named. */
const jsonRpcBeside = (node: string): string => {
  const { hostname } = new URL(new CometClient(node).url)
  return `http://${hostname}:${JSON_RPC_PORT}`
}

const genesisShape = z.object({
  initial_height: z
    .union([z.string().regex(/^\d{1,15}$/), z.int().min(0)])
    .transform(Number)
    .default(1),
})

const readInitialHeight = (file: string): number => {
  try {
    return genesisShape.parse(JSON.parse(readFileSync(file, 'utf8'))).initial_height
  } catch (error) {
    throw cliError('genesis', `cannot read the initial height of ${file}: ${errorText(error)}`)
  }
}

export const createClobProgram = (): Command => {
  const program = new Command('chain clob').description('the order book: audit what a chain did with orders')
  program
    .command('audit')
    .description('check by proofs that blocks hold the orders that votes oblige them to, and match them by the rules')
    .requiredOption('--from <height>', 'A: its header is trusted; blocks A+1 to B are checked', parseCount)
    .option('--to <height>', 'B: header B+1 must be there; the last that can be checked when left out', parseCount)
    .option('--node <url>', "CometBFT's RPC of the node that is asked", DEFAULT_NODE)
    .option('--json-rpc <url>', 'its JSON-RPC; port 8545 of the same machine when left out')
    .option('--trusted-hash <hex>', 'hash of header A; without it the node is trusted for that header', parseHash)
    .option('--genesis <file>', 'genesis file, for the initial height; the node is asked when left out')
    .action(async (flags: Flags) => {
      const file = textOf(flags, 'genesis')
      const summary = await auditClob({
        node: String(flags['node']),
        jsonRpc: textOf(flags, 'jsonRpc') ?? jsonRpcBeside(String(flags['node'])),
        from: Number(flags['from']),
        to: flags['to'] === undefined ? undefined : Number(flags['to']),
        trustedHash: flags['trustedHash'] instanceof Uint8Array ? flags['trustedHash'] : undefined,
        initialHeight: file === undefined ? undefined : readInitialHeight(file),
      })
      for (const line of describeAudit(summary)) say(line)
    })
  return program
}
