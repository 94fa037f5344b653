/** The shape of a command below `chain tx`: from its words to messages. */
import type { Command } from 'commander'
import type { PackedMessage } from '../../../../app/native/public-key.ts'
import type { Home } from '../../../node/config/home.ts'
import { cliError } from '../../../errors.ts'
import type { CometClient } from '../../client/comet-client.ts'
import type { Flags } from '../../client/flags.ts'

export interface MessageContext {
  /** nat1... of the sender. */
  readonly from: string
  /** natvaloper1... of the sender. */
  readonly operator: string
  readonly home: Home
  readonly client: CometClient
  readonly isOffline: boolean
  /** An address in any form, or the name of a key, as nat1... Throws cli/1. */
  account(text: string): string
  /** The same as natvaloper1... */
  operatorOf(text: string): string
}

export interface TxCommand {
  /** Name and arguments, as commander reads them. */
  readonly usage: string
  readonly description: string
  readonly aliases?: readonly string[]
  readonly addOptions?: (command: Command) => Command
  /** Who it is from, where that is an argument; else --from. */
  readonly sender?: (args: readonly string[], flags: Flags) => string | undefined
  /** Arguments are in order, those of a list one by one. Throws cli/1. */
  readonly messages: (
    context: MessageContext,
    args: readonly string[],
    flags: Flags,
  ) => readonly PackedMessage[] | Promise<readonly PackedMessage[]>
}

/** An argument that commander requires. */
export const argument = (args: readonly string[], index: number): string => {
  const value = args[index]
  if (value === undefined) throw cliError('usage', `argument ${index + 1} is missing`)
  return value
}

/** A number such as the id of a proposal, or a height. Throws cli/1. */
export const readId = (text: string, what: string): bigint => {
  if (!/^[0-9]{1,18}$/.test(text)) throw cliError('usage', `"${text}" is no ${what}`)
  return BigInt(text)
}
