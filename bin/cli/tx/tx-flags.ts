/** The flags of every command that makes, signs or sends a transaction, read once. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Address } from '../../../core/address.ts'
import { type Decimal, parseDecimal, toDecimal } from '../../../core/decimal.ts'
import { cliError, errorText } from '../../errors.ts'
import type { Keyring, KeyRecord } from '../keys/keyring.ts'
import { resolveAddress } from '../keys/addresses.ts'
import { parseCoins, parseGasPrice, type CoinText } from '../client/coins.ts'
import {
  type Flags,
  parseCount,
  parseUint,
  textOf,
  uintOf,
  withKeyring,
  withNode,
  withOutput,
} from '../client/flags.ts'
import { SIGN_MODES, type SignModeName } from './sign.ts'

const BROADCAST_MODES = ['sync', 'async'] as const
/** The factor of an estimate, for what the state has changed by the time of the block. */
const DEFAULT_ADJUSTMENT = '1.3'
/** The SDK's, where there is no node to estimate. */
export const OFFLINE_GAS = 200_000n
const DEFAULT_WAIT_SECONDS = 60

export type Gas = 'auto' | bigint

export interface TxFlags {
  readonly chainId: string | undefined
  readonly gas: Gas | undefined
  readonly gasAdjustment: Decimal
  readonly fees: readonly CoinText[] | undefined
  readonly gasPrice: Decimal | undefined
  readonly memo: string
  readonly timeoutHeight: bigint
  readonly signMode: SignModeName
  readonly broadcastMode: (typeof BROADCAST_MODES)[number]
  readonly isConfirmed: boolean
  readonly isGenerateOnly: boolean
  readonly isOffline: boolean
  readonly isDryRun: boolean
  readonly waitMs: number | undefined
  readonly accountNumber: bigint | undefined
  readonly sequence: bigint | undefined
}

const parseGas = (text: string): Gas => (text === 'auto' ? 'auto' : parseUint(text))

const parseAdjustment = (text: string): string => {
  try {
    if (parseDecimal(text) >= toDecimal(1n) && parseDecimal(text) <= toDecimal(100n)) return text
  } catch (error) {
    throw new InvalidArgumentError(errorText(error))
  }
  throw new InvalidArgumentError('must be from 1 to 100')
}

const parseSeconds = (text: string): number => {
  if (!/^[1-9][0-9]{0,4}$/.test(text)) throw new InvalidArgumentError('must be seconds, up to 99999')
  return Number(text)
}

/** What binds a signature to its account, and the account itself. */
export const withSigner = (command: Command): Command =>
  withKeyring(withNode(withOutput(command, 'json')))
    .option('--from <key>', 'name or address of the key that signs and pays')
    .option('--chain-id <id>', 'that of the node when left out')
    .addOption(
      new Option('--sign-mode <mode>', 'what is signed: the bytes, or the JSON that hardware wallets show')
        .choices(Object.keys(SIGN_MODES))
        .default('direct'),
    )
    .option('--offline', 'ask no node; needs --chain-id, --account-number and --sequence')
    .option('--account-number <number>', 'of the signing account; asked from the node when left out', parseUint)
    .option('--sequence <number>', 'of the signing account; asked from the node when left out', parseUint)

export const withBroadcast = (command: Command): Command =>
  command
    .addOption(
      new Option('--broadcast-mode <mode>', 'sync waits for the check of the pool')
        .choices(BROADCAST_MODES)
        .default('sync'),
    )
    .option('--wait', 'wait for the block that holds it, and print what it did')
    .option('--wait-seconds <number>', 'how long', parseSeconds, DEFAULT_WAIT_SECONDS)

export const withTxFlags = (command: Command): Command =>
  withBroadcast(withSigner(command))
    .option('--gas <limit>', 'auto, which asks the node, or a number', parseGas)
    .option('--gas-adjustment <factor>', 'the limit is the estimate times this', parseAdjustment, DEFAULT_ADJUSTMENT)
    .option('--fees <amount>', 'the whole fee, such as 0.001nat; gas times price when left out')
    .option('--gas-prices <price>', "price of gas, such as 2000000000anat; the node's when left out")
    .option('--memo <text>', 'stands in the transaction, for everybody to read')
    .addOption(new Option('--note <text>', 'the same as --memo').conflicts('memo'))
    .option('--timeout-height <height>', 'the last block that may hold it', parseUint)
    .option('-y, --yes', 'do not ask before signing')
    .option('--generate-only', 'print the transaction, unsigned')
    .option('--dry-run', 'print the gas that it would take')

/** Orders pay no gas, and have a nonce of their own. */
export const withOrderFlags = (command: Command): Command =>
  withKeyring(withNode(withOutput(command, 'json')))
    .option('--from <key>', 'name or address of the key that signs')
    .option('--chain-id <id>', 'that of the node when left out')
    .option('--owner <address>', 'whose order it is, where an agent signs')
    .option('--subaccount <number>', 'of the owner', parseCount, 0)
    .option('-y, --yes', 'do not ask before signing')
    .option('--wait', 'wait for the block that holds it, and print what became of each action')

export const readTxFlags = (flags: Flags): TxFlags => {
  const fees = textOf(flags, 'fees')
  const gasPrice = textOf(flags, 'gasPrices')
  if (fees !== undefined && gasPrice !== undefined) {
    throw cliError('usage', 'cannot provide both --fees and --gas-prices')
  }
  const { gas } = flags
  return {
    chainId: textOf(flags, 'chainId'),
    gas: gas === 'auto' || typeof gas === 'bigint' ? gas : undefined,
    gasAdjustment: parseDecimal(textOf(flags, 'gasAdjustment') ?? DEFAULT_ADJUSTMENT),
    fees: fees === undefined ? undefined : parseCoins(fees),
    gasPrice: gasPrice === undefined ? undefined : parseGasPrice(gasPrice),
    memo: textOf(flags, 'memo') ?? textOf(flags, 'note') ?? '',
    timeoutHeight: uintOf(flags, 'timeoutHeight') ?? 0n,
    signMode: flags['signMode'] === 'amino-json' ? 'amino-json' : 'direct',
    broadcastMode: flags['broadcastMode'] === 'async' ? 'async' : 'sync',
    isConfirmed: flags['yes'] === true,
    isGenerateOnly: flags['generateOnly'] === true,
    isOffline: flags['offline'] === true,
    isDryRun: flags['dryRun'] === true,
    waitMs: flags['wait'] === true ? 1_000 * Number(flags['waitSeconds']) : undefined,
    accountNumber: uintOf(flags, 'accountNumber'),
    sequence: uintOf(flags, 'sequence'),
  }
}

/** Who a transaction is from: with a key of the keyring, or an address alone. */
export interface Sender {
  readonly address: Address
  readonly record: KeyRecord | undefined
}

/** `text` is a name or an address. Throws cli/1. */
export const findSender = (text: string | undefined, keyring: Keyring): Sender => {
  if (text === undefined) throw cliError('usage', 'say whose transaction it is: --from <key or address>')
  const named = keyring.find(text)
  if (named !== undefined) return { address: named.address, record: named }
  const address = resolveAddress(text, keyring)
  return { address, record: keyring.findByAddress(address) }
}
