/** What `chain tx <module> <command>` does with its messages: fee, signature, broadcast, or less when told so. */
import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import type { PackedMessage } from '../../../app/native/public-key.ts'
import { baseAbci, tx } from '../../../proto/index.ts'
import { cliError } from '../../errors.ts'
import type { Keyring } from '../keys/keyring.ts'
import { type PasswordSource, readPassword } from '../keys/passwords.ts'
import type { Terminal } from '../keys/terminal.ts'
import { findSignerData } from './accounts.ts'
import { broadcast } from './broadcast.ts'
import type { CometClient } from '../client/comet-client.ts'
import { findFee, findGasLimit, askGasUsed } from './fee.ts'
import { toJson } from '../client/messages-json.ts'
import { formatText, type Output, printResult } from '../output.ts'
import { SIGN_MODES, type SigningKey, signerIndex, signTransaction, withPlaceholder } from './sign.ts'
import { encodeTransaction } from './tx-document.ts'
import type { Sender, TxFlags } from './tx-flags.ts'

/** All that a command of `chain tx` has at hand. */
export interface TxSession {
  readonly flags: TxFlags
  readonly client: CometClient
  readonly keyring: Keyring
  readonly passwords: PasswordSource
  readonly terminal: Terminal
  readonly output: Output
}

const buildTransaction = (messages: readonly PackedMessage[], { memo, timeoutHeight }: TxFlags): tx.Tx =>
  create(tx.TxSchema, {
    body: { messages: messages.map((message) => create(AnySchema, message)), memo, timeoutHeight },
    authInfo: {},
  })

const withFee = ({ body }: tx.Tx, fee: tx.Fee): tx.Tx =>
  create(tx.TxSchema, { ...(body === undefined ? {} : { body }), authInfo: { fee } })

/** The private key of a sender. Throws cli/19 for one that has none here, and cli/18 for a wrong password. */
export const openSigningKey = async ({ record }: Sender, session: TxSession): Promise<SigningKey> => {
  const { keyring, passwords } = session
  if (record === undefined) throw cliError('transaction', `no key of that address is in ${keyring.folder}`)
  const { publicKey, name } = record
  if (publicKey.type === 'multisig') {
    throw cliError(
      'transaction',
      `${name} is a multisig: use --generate-only, then "chain tx sign" and "chain tx multisign"`,
    )
  }
  return { publicKey, privateKey: keyring.openPrivateKey(record, await readPassword(passwords, `the key ${name}`)) }
}

/** Throws cli/1 where nobody can be asked, and cli/19 for a no. */
const confirm = async (transaction: tx.Tx, { flags, terminal }: TxSession): Promise<void> => {
  if (flags.isConfirmed) return
  if (!terminal.isInteractive) throw cliError('usage', 'there is no terminal to ask: say --yes, or --generate-only')
  process.stderr.write(`${formatText(toJson(tx.TxSchema, transaction))}\n`)
  if (!(await terminal.confirm('sign this transaction?'))) throw cliError('transaction', 'not signed')
}

const printTransaction = (transaction: tx.Tx, output: Output): void =>
  printResult(toJson(tx.TxSchema, transaction), output)

/** Exit status 1 for what the chain refused. */
export const printResponse = (response: baseAbci.TxResponse, output: Output): void => {
  printResult(toJson(baseAbci.TxResponseSchema, response), output)
  if (response.code !== 0) process.exitCode = 1
}

const addFee = async (unpriced: tx.Tx, sender: Sender, { client, flags }: TxSession): Promise<tx.Tx> => {
  const placeholder = (): tx.Tx => withPlaceholder(unpriced, sender.address, sender.record?.publicKey)
  const gasLimit = await findGasLimit(client, flags, placeholder)
  return withFee(unpriced, await findFee(client, flags, gasLimit))
}

/** Prints the transaction, its gas, or what the node said of it. */
export const submit = async (messages: readonly PackedMessage[], sender: Sender, session: TxSession): Promise<void> => {
  const { flags, client, output } = session
  const unpriced = buildTransaction(messages, flags)
  signerIndex(unpriced, sender.address)
  if (flags.isDryRun) {
    const gas = await askGasUsed(client, withPlaceholder(unpriced, sender.address, sender.record?.publicKey))
    return printResult({ gas_estimate: gas.toString() }, output)
  }
  if (flags.isGenerateOnly) return printTransaction(await addFee(unpriced, sender, session), output)
  const data = await findSignerData(client, sender.address, flags)
  const unsigned = await addFee(unpriced, sender, session)
  await confirm(unsigned, session)
  const signed = signTransaction(unsigned, await openSigningKey(sender, session), SIGN_MODES[flags.signMode], data)
  if (flags.isOffline) return printTransaction(signed, output)
  return printResponse(await broadcast(client, encodeTransaction(signed), flags), output)
}
