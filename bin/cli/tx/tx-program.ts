/** The commands below `chain tx`. */
import { Command } from 'commander'
import { encodeBech32 } from '../../../core/bech32.ts'
import { formatOperator } from '../../../modules/validator-addresses.ts'
import { Terminal } from '../keys/terminal.ts'
import { resolveAddress } from '../keys/addresses.ts'
import {
  clientOf,
  type Flags,
  homeOf,
  keyringOf,
  outputOf,
  passwordSourceOf,
  textOf,
  withNode,
  withOutput,
} from '../client/flags.ts'
import { CLOB_ORDER_COMMANDS, type ClobCommand } from './clob/clob-commands.ts'
import { sendActions } from './clob/send-actions.ts'
import { BANK_COMMANDS } from './messages/bank.ts'
import { BRIDGE_COMMANDS } from './messages/bridge.ts'
import { CLOB_COMMANDS } from './messages/clob.ts'
import { CLOB_PROPOSALS } from './messages/clob-proposals.ts'
import { DISTRIBUTION_COMMANDS } from './messages/distribution.ts'
import { ERC20_COMMANDS } from './messages/erc20.ts'
import { GOV_COMMANDS, UPGRADE_COMMANDS } from './messages/gov.ts'
import { SLASHING_COMMANDS, STAKING_COMMANDS } from './messages/staking.ts'
import type { MessageContext, TxCommand } from './messages/tx-command.ts'
import { printResult } from '../output.ts'
import { submit, type TxSession } from './submit.ts'
import { broadcastFile, decodeText, encodeFile, multisignFile, signFile, simulateFile } from './tx-files.ts'
import {
  findSender,
  readTxFlags,
  type Sender,
  withBroadcast,
  withOrderFlags,
  withSigner,
  withTxFlags,
} from './tx-flags.ts'

const MODULES: Readonly<Record<string, readonly TxCommand[]>> = {
  bank: BANK_COMMANDS,
  staking: STAKING_COMMANDS,
  slashing: SLASHING_COMMANDS,
  clob: [...CLOB_COMMANDS, ...CLOB_PROPOSALS],
  erc20: ERC20_COMMANDS,
  bridge: BRIDGE_COMMANDS,
  distribution: DISTRIBUTION_COMMANDS,
  gov: GOV_COMMANDS,
  upgrade: UPGRADE_COMMANDS,
}

/** Does what a command needs the terminal for, and lets the process end. */
const withSession = async (flags: Flags, run: (session: TxSession) => Promise<void>): Promise<void> => {
  const terminal = new Terminal()
  try {
    await run({
      flags: readTxFlags(flags),
      client: clientOf(flags),
      keyring: keyringOf(flags),
      passwords: passwordSourceOf(flags, terminal),
      terminal,
      output: outputOf(flags),
    })
  } finally {
    terminal.close()
  }
}

const messageContext = (
  { address }: Sender,
  flags: Flags,
  { client, keyring, flags: txFlags }: TxSession,
): MessageContext => ({
  from: encodeBech32(address),
  operator: formatOperator(address),
  home: homeOf(flags),
  client,
  isOffline: txFlags.isOffline,
  account: (text) => encodeBech32(resolveAddress(text, keyring)),
  operatorOf: (text) => formatOperator(resolveAddress(text, keyring)),
})

const addTxCommand = (group: Command, { usage, description, aliases = [], ...definition }: TxCommand): void => {
  const command = withTxFlags(group.command(usage).description(description).aliases(aliases))
  const { addOptions, sender, messages } = definition
  addOptions?.(command)
  command.action(async () => {
    const flags: Flags = command.opts()
    const args = command.processedArgs.flat().filter((each): each is string => typeof each === 'string')
    await withSession(flags, async (session) => {
      const from = findSender(sender === undefined ? textOf(flags, 'from') : sender(args, flags), session.keyring)
      await submit(await messages(messageContext(from, flags, session), args, flags), from, session)
    })
  })
}

const addOrderCommand = (group: Command, { usage, description, addOptions, actions }: ClobCommand): void => {
  const command = addOptions(withOrderFlags(group.command(usage).description(description)))
  command.action(async () => {
    const flags: Flags = command.opts()
    const args = command.processedArgs.filter((each): each is string => typeof each === 'string')
    await withSession(flags, async (session) => {
      const { client, keyring } = session
      const sender = findSender(textOf(flags, 'from'), keyring)
      const owner = textOf(flags, 'owner')
      const options = {
        owner: owner === undefined ? undefined : resolveAddress(owner, keyring),
        subaccount: Number(flags['subaccount']),
      }
      await sendActions(await actions(client, args, flags), options, sender, session)
    })
  })
}

const addSign = (program: Command): void => {
  withSigner(
    program.command('sign <file>').description('sign a transaction that --generate-only made; - is standard input'),
  )
    .option('--multisig <key>', 'sign for this multisig, by name or address: a signature for "chain tx multisign"')
    .option('--signature-only', 'print the signature alone')
    .option('--output-document <file>', 'write there, not to standard output')
    .action(async (file: string, flags: Flags) => {
      await withSession(flags, async (session) => {
        const options = {
          file,
          multisig: textOf(flags, 'multisig'),
          isSignatureOnly: flags['signatureOnly'] === true,
          outputFile: textOf(flags, 'outputDocument'),
        }
        await signFile(options, findSender(textOf(flags, 'from'), session.keyring), session)
      })
    })
  withSigner(
    program
      .command('multisign <file> <multisig> <signatures...>')
      .alias('multi-sign')
      .description('put the signatures of "chain tx sign --multisig" into a transaction'),
  )
    .option('--output-document <file>', 'write there, not to standard output')
    .action(async (file: string, name: string, signatures: readonly string[], flags: Flags) => {
      await withSession(flags, async (session) => {
        await multisignFile(file, name, signatures, textOf(flags, 'outputDocument'), session)
      })
    })
}

const addFiles = (program: Command): void => {
  const fileSession = (flags: Flags) => ({
    client: clientOf(flags),
    output: outputOf(flags),
    flags: readTxFlags(flags),
  })
  const network = (command: Command): Command => withNode(withOutput(command, 'json'))
  withBroadcast(network(program.command('broadcast <file>').description('send a signed transaction'))).action(
    async (file: string, flags: Flags) => {
      await broadcastFile(file, fileSession(flags))
    },
  )
  network(program.command('simulate <file>').description('what a transaction would do now, and its gas')).action(
    async (file: string, flags: Flags) => {
      await simulateFile(file, fileSession(flags))
    },
  )
  program
    .command('encode <file>')
    .description('a transaction as the bytes that are sent, in base64')
    .action((file: string) => void process.stdout.write(`${encodeFile(file)}\n`))
  withOutput(
    program.command('decode <bytes>').description('a transaction from its bytes in base64 or hexadecimal'),
    'json',
  ).action((text: string, flags: Flags) => printResult(decodeText(text), outputOf(flags)))
}

export const createTxProgram = (): Command => {
  const program = new Command('chain tx').description('make, sign and send native transactions')
  for (const [name, commands] of Object.entries(MODULES)) {
    const group = program.command(name).description(`transactions of the module ${name}`)
    for (const command of commands) addTxCommand(group, command)
    if (name === 'clob') for (const command of CLOB_ORDER_COMMANDS) addOrderCommand(group, command)
  }
  addSign(program)
  addFiles(program)
  return program
}
