/** Signs transactions of the book: with a key, or with a wallet that shows typed data. */
import type { Account, Address, Chain, Client, Hex, LocalAccount, Transport } from 'viem'
import { signTypedData } from 'viem/actions'
import { integer, uint32, uint53 } from './actions.ts'
import {
  type ClobAction,
  type ClobChain,
  clobMessageJson,
  type ClobMessage,
  clobTypedData,
  NO_AGENT,
} from './typed-data.ts'

/** An account with a key, or a wallet client with an account. */
export type ClobSigner = LocalAccount | Client<Transport, Chain | undefined, Account>

export interface UnsignedClobTx {
  readonly actions: readonly ClobAction[]
  readonly nonceMs: number | bigint
  readonly goodTilBlock: number
  readonly subaccount?: number | undefined
  /** Whose orders these are, where the signer is an agent: the signer if it is left out. */
  readonly owner?: Address | undefined
}

/** What `clob_sendOrder` takes. */
export interface SignedClobTx {
  readonly message: ReturnType<typeof clobMessageJson>
  readonly signature: Hex
}

const MAX_ACTIONS = 50n

const addressOf = (signer: ClobSigner): Address => ('account' in signer ? signer.account.address : signer.address)

/** Throws `range`. */
const messageOf = (signer: Address, tx: UnsignedClobTx): ClobMessage => {
  const { actions, owner = signer } = tx
  integer('the number of actions', actions.length, 1n, MAX_ACTIONS)
  return {
    owner,
    agent: owner.toLowerCase() === signer.toLowerCase() ? NO_AGENT : signer,
    subaccount: uint32('subaccount', tx.subaccount ?? 0),
    nonceMs: uint53('nonceMs', tx.nonceMs),
    goodTilBlock: uint32('goodTilBlock', tx.goodTilBlock),
    actions,
  }
}

/** Throws `range`, and what the wallet throws. */
export const signClobTx = async (signer: ClobSigner, tx: UnsignedClobTx, chain: ClobChain): Promise<SignedClobTx> => {
  const message = messageOf(addressOf(signer), tx)
  const typed = clobTypedData(message, chain)
  const signature =
    'account' in signer
      ? await signTypedData(signer, { ...typed, account: signer.account })
      : await signer.signTypedData(typed)
  return { message: clobMessageJson(message), signature }
}
