/** The commands below `chain genesis`. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Command, InvalidArgumentError } from 'commander'
import { encodeBech32 } from '../../../core/bech32.ts'
import { formatOperator } from '../../../modules/validator-addresses.ts'
import { setTomlValue } from '../../node/config/toml-lines.ts'
import { addGenesisAccount, addGenesisValidator, checkGenesisFile, describeGenesis, fetchGenesis } from './genesis.ts'
import { cliError } from '../../errors.ts'
import { findKey } from '../keys/keys-commands.ts'
import { readPassword } from '../keys/passwords.ts'
import { Terminal } from '../keys/terminal.ts'
import {
  clientOf,
  type Flags,
  homeOf,
  keyringOf,
  passwordSourceOf,
  textOf,
  withHome,
  withKeyring,
} from '../client/flags.ts'
import { createValidator, createValidatorMessage } from '../tx/messages/staking.ts'
import { findCometbft } from '../../node/supervise/cometbft-binary.ts'
import { type GenesisDocument, readGenesisJson, writeGenesis } from '../../node/genesis/document.ts'
import { collectGentxs, gentxFolder, signGenesisTransaction, writeGentx } from '../genesis/gentx.ts'
import { rehearseGenesis } from '../../node/genesis/rehearse.ts'
import { validateGenesis } from '../../node/genesis/validate.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const parsePower = (text: string): number => {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new InvalidArgumentError('must be a positive integer')
  return Number(text)
}

const addAccount = (program: Command): void => {
  withHome(program.command('add-account <address> <amount>'))
    .description('fund an account: 0x... or nat1..., such as 1000000nat')
    .action((address: string, amount: string, flags: Flags) => {
      say(describeGenesis(addGenesisAccount(homeOf(flags), address, amount)))
    })
}

const addValidator = (program: Command): void => {
  withHome(program.command('add-validator'))
    .description('make this home a validator from the first block')
    .option(
      '--power <number>',
      'voting power: as many NAT are bonded, beside the balance of the operator',
      parsePower,
      10,
    )
    .option('--name <name>', 'shown in the validator set', '')
    .option('--operator <address>', 'whose validator it is: 0x... or nat1...; the first account that has none')
    .action((flags: Flags) => {
      const [name = '', operator] = [textOf(flags, 'name'), textOf(flags, 'operator')]
      say(describeGenesis(addGenesisValidator(homeOf(flags), { power: Number(flags['power']), name, operator })))
    })
}

/** `<id>@<host>`: what others need to reach this home. */
const peerOf = async (flags: Flags): Promise<string> => {
  const given = textOf(flags, 'nodeId')
  const home = homeOf(flags)
  const show = async (): Promise<string> => {
    const { stdout } = await promisify(execFile)(await findCometbft(), ['show-node-id', '--home', home.root])
    return stdout.trim()
  }
  return `${given ?? (await show())}@${textOf(flags, 'ip') ?? '127.0.0.1'}:${String(flags['p2pPort'])}`
}

const makeGentx = async (name: string, amount: string, flags: Flags): Promise<void> => {
  const home = homeOf(flags)
  const document = readGenesisJson(home.genesis)
  validateGenesis(document, home.genesis)
  const terminal = new Terminal()
  try {
    const keyring = keyringOf(flags)
    const record = findKey(keyring, name)
    const { publicKey, address } = record
    if (publicKey.type === 'multisig')
      throw cliError('keyring', `${name} is a multisig: a single key operates a validator`)
    const refuse = (): never => {
      throw cliError('usage', 'say the address itself')
    }
    const context = {
      from: encodeBech32(address),
      operator: formatOperator(address),
      home,
      client: clientOf(flags),
      isOffline: true,
      account: refuse,
      operatorOf: refuse,
    }
    const moniker = textOf(flags, 'moniker') ?? name
    const message = createValidatorMessage(context, [], { ...flags, amount, moniker })
    const password = await readPassword(passwordSourceOf(flags, terminal), `the key ${name}`)
    const transaction = signGenesisTransaction({
      chainId: (document as GenesisDocument).chain_id,
      message,
      memo: await peerOf(flags),
      key: { publicKey, privateKey: keyring.openPrivateKey(record, password) },
    })
    const file = textOf(flags, 'outputDocument') ?? join(gentxFolder(home), `gentx-${formatOperator(address)}.json`)
    say(`genesis transaction written to ${writeGentx(transaction, file)}`)
  } finally {
    terminal.close()
  }
}

const addGentx = (program: Command): void => {
  const command = withKeyring(program.command('gentx <key> <amount>'))
  createValidator
    .addOptions?.(command)
    .description('sign the creation of a validator for the genesis file: for whoever collects them')
    .option('--ip <host>', 'where the others reach this node', '127.0.0.1')
    .option('--p2p-port <number>', 'of peer-to-peer', '26656')
    .option('--node-id <id>', 'that of the home when left out')
    .option('--output-document <file>', 'where to write it')
    .action((name: string, amount: string, flags: Flags) => makeGentx(name, amount, flags))
}

const addCollect = (program: Command): void => {
  withHome(program.command('collect-gentxs'))
    .description('check the genesis transactions of a folder and write their validators into the genesis file')
    .option('--gentx-dir <folder>', 'config/gentx of the home when left out')
    .action(async (flags: Flags) => {
      const home = homeOf(flags)
      const given = readGenesisJson(home.genesis)
      validateGenesis(given, home.genesis)
      const folder = textOf(flags, 'gentxDir') ?? gentxFolder(home)
      const { document, count, peers } = collectGentxs(given as GenesisDocument, folder)
      const valid = await rehearseGenesis(document, home.genesis)
      if (peers.length > 0) {
        const toml = readFileSync(home.configToml, 'utf8')
        writeFileSync(home.configToml, setTomlValue(toml, 'p2p.persistent_peers', JSON.stringify(peers.join(','))))
      }
      // Last: once the validators are in it they cannot be collected again.
      writeGenesis(home.genesis, document)
      say(`${count} genesis transactions collected; ${describeGenesis(valid)}`)
    })
}

const addFetch = (program: Command): void => {
  withHome(program.command('fetch <url>'))
    .description('take over the genesis file of a network: the URL of a file or of a consensus RPC')
    .option('--chain-id <id>', 'the chain to join; that of the home when left out')
    .action(async (url: string, flags: Flags) => {
      const chainId = textOf(flags, 'chainId')
      say(describeGenesis(await fetchGenesis(homeOf(flags), url, chainId === undefined ? {} : { chainId })))
    })
}

const addValidate = (program: Command): void => {
  withHome(program.command('validate [file]'))
    .description('check a genesis file; that of the home when none is named')
    .action(async (file: string | undefined, flags: Flags) => {
      say(describeGenesis(await checkGenesisFile(file ?? homeOf(flags).genesis)))
    })
}

export const createGenesisProgram = (): Command => {
  const program = new Command('chain genesis').description('edit, fetch and check the genesis file')
  for (const add of [addAccount, addValidator, addGentx, addCollect, addFetch, addValidate]) add(program)
  return program
}
