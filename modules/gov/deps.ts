/** What governance needs of the rest of the node. */
import type { Address } from '../../core/address.ts'
import type { Coin, Ledger, LedgerContext } from '../ledger.ts'
import type { MessageContext } from '../module.ts'
import type { StakeReader } from '../stake.ts'

/** A message as a proposal carries it: a google.protobuf.Any whose bytes are kept as they came. */
export interface PackedMessage {
  /** Such as `/cosmos.bank.v1beta1.MsgSend`. */
  readonly typeUrl: string
  readonly value: Uint8Array
}

/** A message of a proposal, decoded. */
export interface PreparedMessage {
  /** Those that its definition names. */
  readonly signers: readonly Address[]
  /** Throws a CodedError. */
  checkStateless(): void
  /** Throws a CodedError; the caller undoes what was written. Returns the encoded response. */
  execute(context: MessageContext): Uint8Array
}

export interface GovDependencies {
  readonly ledger: Pick<Ledger, 'balance' | 'send' | 'burn' | 'isBlockedReceiver'>
  readonly stake: Pick<StakeReader, 'bondedValidators' | 'delegation' | 'delegationsOf'>
  /**
   * The handlers of all modules, this one's too: called with a message only, never while modules are made. Throws a
   * CodedError for an unknown type (sdk/2) and for bytes that are not a message of it.
   */
  prepareMessage(message: PackedMessage): PreparedMessage
  /** Moves coins of `from` into the community pool, with the events of a transfer. */
  fundCommunityPool(context: LedgerContext, from: Address, coins: readonly Coin[]): void
}
