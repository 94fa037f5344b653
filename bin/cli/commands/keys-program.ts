/** The commands below `chain keys`. */
import { Command, InvalidArgumentError, Option } from 'commander'
import {
  type Flags,
  keyringOf,
  outputOf,
  parseCount,
  passwordSourceOf,
  textOf,
  withKeyring,
  withOutput,
} from '../client/flags.ts'
import { addressForms } from '../keys/addresses.ts'
import { findDevnet } from '../devnet/running.ts'
import { type Output, printResult } from '../output.ts'
import { cliError } from '../../errors.ts'
import { keyNotice } from '../keys/devnet-accounts.ts'
import { COIN_TYPE, formatPath } from '../keys/derive-key.ts'
import { type KeyRecord, parseAlgorithm } from '../keys/keyring.ts'
import {
  addKey,
  addMultisig,
  addPublicKey,
  deleteKey,
  describeKey,
  exportKeystore,
  exportPrivateKey,
  findKey,
  importKey,
  type KeySession,
} from '../keys/keys-commands.ts'
import type { KeystoreCost } from '../keys/keystore.ts'
import { ALGORITHMS, printPublicKey } from '../keys/public-key-json.ts'
import { Terminal } from '../keys/terminal.ts'

/** BIP-32: below 2^31, the rest are hardened. */
const MAX_PATH_INDEX = 2 ** 31 - 1

const parsePathIndex = (text: string): number => {
  const index = parseCount(text)
  if (index > MAX_PATH_INDEX) throw new InvalidArgumentError(`must be at most ${MAX_PATH_INDEX}`)
  return index
}

const withSession = async (flags: Flags, run: (session: KeySession) => Promise<void>): Promise<void> => {
  const terminal = new Terminal()
  try {
    await run({ keyring: keyringOf(flags), passwords: passwordSourceOf(flags, terminal) })
  } finally {
    terminal.close()
  }
}

const print = (value: string): void => void process.stdout.write(`${value}\n`)

const withAlgorithm = (command: Command): Command =>
  command
    .addOption(
      new Option('--algo <kind>', 'eth_secp256k1 has the address of Ethereum; secp256k1 may stand in a multisig')
        .choices(ALGORITHMS)
        .default('eth_secp256k1'),
    )
    .option('--light', 'a weaker lock of the file, that opens at once')

const costOf = (flags: Flags): KeystoreCost =>
  flags['light'] === true || flags['keyringBackend'] === 'test' ? 'light' : 'standard'

const pathOf = (flags: Flags): string =>
  textOf(flags, 'hdPath') ??
  formatPath({ coinType: Number(flags['coinType']), account: Number(flags['account']), index: Number(flags['index']) })

const printKey = (record: KeyRecord, output: Output): void => printResult(describeKey(record), output)

/** Says a notice beside the result, which programs read. */
const sayNotice = ({ address }: KeyRecord): void => {
  process.stderr.write(`${keyNotice(address)}\n`)
  const devnet = findDevnet()
  if (devnet === undefined) return
  process.stderr.write(
    `The key lies in ${devnet.home}, the home of the devnet that runs: "make devnet-reset" deletes it. Say --home for another one.\n`,
  )
}

const addNewKey = async (name: string, flags: Flags): Promise<void> => {
  await withSession(flags, async (session) => {
    const isRecovered = flags['recover'] === true
    const options = {
      name,
      algorithm: parseAlgorithm(String(flags['algo'])),
      path: pathOf(flags),
      isRecovered,
      cost: costOf(flags),
    }
    const { record, mnemonic } = await addKey(options, session)
    const isShown = !isRecovered && flags['backup'] !== false
    printResult({ ...describeKey(record), ...(isShown ? { mnemonic } : {}) }, outputOf(flags))
    sayNotice(record)
    if (isShown) process.stderr.write('Write the mnemonic down: without it and the password, the key is lost.\n')
  })
}

const addAdd = (program: Command): void => {
  withAlgorithm(
    withKeyring(
      withOutput(program.command('add <name>').description('make a key, and show its mnemonic once'), 'text'),
    ),
  )
    .option('--recover', 'from a mnemonic, which is read from standard input')
    .option('--no-backup', 'do not show the mnemonic')
    .option('--hd-path <path>', "the whole path, such as m/44'/60'/0'/0/0")
    .option('--coin-type <number>', 'of the path', parsePathIndex, COIN_TYPE)
    .option('--account <number>', 'of the path', parsePathIndex, 0)
    .option('--index <number>', 'of the path', parsePathIndex, 0)
    .option('--multisig <names>', 'make a multisig of these keys, apart by commas (secp256k1 only)')
    .option('--multisig-threshold <number>', 'how many of them must sign', parseCount, 1)
    .option('--nosort', 'the keys of the multisig in the order in which they were named')
    .option('--pubkey <json>', "somebody else's public key, as keys show prints it")
    .action(async (name: string, flags: Flags) => {
      const [members, publicKey] = [textOf(flags, 'multisig'), textOf(flags, 'pubkey')]
      const keyring = keyringOf(flags)
      const output = outputOf(flags)
      if (publicKey !== undefined) return printKey(addPublicKey(keyring, name, publicKey), output)
      if (members === undefined) return await addNewKey(name, flags)
      const threshold = Number(flags['multisigThreshold'])
      return printKey(addMultisig(keyring, name, members.split(','), threshold, flags['nosort'] !== true), output)
    })
}

const addImport = (program: Command): void => {
  withAlgorithm(
    withKeyring(
      withOutput(
        program
          .command('import <name> <source>')
          .description('from a keystore file, or a private key in hexadecimal: in a file, or - for standard input'),
        'text',
      ),
    ),
  )
    .option('--source-password-file <file>', 'holds the password of the keystore file')
    .action(async (name: string, source: string, flags: Flags) => {
      await withSession(flags, async (session) => {
        const sourcePasswordFile = textOf(flags, 'sourcePasswordFile')
        const algorithm = parseAlgorithm(String(flags['algo']))
        const options = { name, source, sourcePasswordFile, algorithm, cost: costOf(flags) }
        const record = await importKey(options, session)
        printKey(record, outputOf(flags))
        sayNotice(record)
      })
    })
}

const addExport = (program: Command): void => {
  withKeyring(program.command('export <key>').description('the keystore of a key, which geth and wallets read'))
    .option('--unsafe', 'with --unarmored-hex: I know what I do')
    .option('--unarmored-hex', 'the private key itself, for everybody who sees it')
    .option('-y, --yes', 'do not ask')
    .action(async (key: string, flags: Flags) => {
      if (flags['unarmoredHex'] !== true) return print(JSON.stringify(exportKeystore(keyringOf(flags), key)))
      if (flags['unsafe'] !== true) throw cliError('usage', '--unarmored-hex needs --unsafe')
      return await withSession(flags, async (session) => {
        print(await exportPrivateKey(key, flags['yes'] === true, session))
      })
    })
}

const addShow = (program: Command): void => {
  withKeyring(withOutput(program.command('list').description('all keys, by name'), 'text'))
    .option('-n, --list-names', 'names only')
    .action((flags: Flags) => {
      const records = keyringOf(flags).list()
      if (flags['listNames'] === true) for (const { name } of records) print(name)
      else printResult(records.map(describeKey), outputOf(flags))
    })
  withKeyring(withOutput(program.command('show <key>').description('one key, by name or address'), 'text'))
    .option('-a, --address', 'the address alone')
    .option('-p, --pubkey', 'the public key alone')
    .option('--hex', 'with -a: the address as Ethereum writes it')
    .addOption(
      new Option('--bech <form>', 'the address of an account, of an operator, or of a consensus key')
        .choices(['acc', 'val', 'cons'])
        .default('acc'),
    )
    .action((key: string, flags: Flags) => {
      const record = findKey(keyringOf(flags), key)
      const { account, operator, consensus, checksum } = addressForms(record.address)
      const forms: Readonly<Record<string, string>> = { acc: account, val: operator, cons: consensus }
      const address = forms[String(flags['bech'])] ?? account
      if (flags['pubkey'] === true) return print(JSON.stringify(printPublicKey(record.publicKey)))
      if (flags['address'] === true) return print(flags['hex'] === true ? checksum : address)
      return printResult({ ...describeKey(record), address }, outputOf(flags))
    })
}

const addDelete = (program: Command): void => {
  withKeyring(program.command('delete <key>').description('forget a key for ever'))
    .option('-y, --yes', 'do not ask')
    .action(async (key: string, flags: Flags) => {
      await withSession(flags, async (session) => {
        const { name } = await deleteKey(key, flags['yes'] === true, session)
        process.stderr.write(`${name} is deleted\n`)
      })
    })
}

export const createKeysProgram = (): Command => {
  const program = new Command('chain keys').description('keys that sign transactions, in encrypted files of the home')
  for (const add of [addAdd, addImport, addExport, addShow, addDelete]) add(program)
  return program
}
