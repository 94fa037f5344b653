/** What CometBFT and its clients are told of a transaction that waits. */
import type { WaitReason } from './account-queue.ts'

export const WAIT_TEXTS: Readonly<Record<WaitReason, string>> = {
  gap: 'a transaction with a lower nonce is missing',
  // Geth's words.
  reserved: 'in-flight transaction limit reached for delegated accounts',
  slots: 'too many transactions of this account can execute before it',
  funds: 'the account cannot pay for it together with those before it',
}
