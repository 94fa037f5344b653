/** The Cosmos SDK's root codespace `sdk`: every code that this chain answers with, and its closing words. */
import { errorTable } from '../core/error-table.ts'
import { CodedError } from '../core/errors.ts'
import { GRPC } from '../core/grpc-status.ts'

/** Wraps words as the SDK wraps its errors. */
export const wrapWords = (words: string, details: string): string => (details === '' ? words : `${details}: ${words}`)

export const WORDS_COME_LAST = 'Details come before the words, as `details: words`.'

/** The numbers are those of types/errors/errors.go of the SDK. */
export const SDK_ERRORS = errorTable(
  'sdk',
  "Refusals of native transactions and queries, with the numbers of the Cosmos SDK's root codespace. Seen in CheckTx, " +
    'in results of transactions, in `abci_query`, and as gRPC statuses. ' +
    WORDS_COME_LAST,
  {
    parse: {
      code: 2,
      text: 'tx parse error',
      cause: 'The bytes are not a transaction, or name a message that this chain does not have.',
      action: 'Encode the transaction with a client for the Cosmos SDK; see docs/clients.md for the messages.',
    },
    unauthorized: {
      code: 4,
      text: 'unauthorized',
      cause: 'A signature does not verify, or the signer may not do this.',
      action: 'Check chain id, account number, sequence and key with which the transaction was signed.',
    },
    insufficientFunds: {
      code: 5,
      text: 'insufficient funds',
      cause: 'The account holds less than the amount, or less than fee and amount together.',
      action: 'Send less, or fund the account first.',
    },
    unknownRequest: {
      code: 6,
      text: 'unknown request',
      cause: 'There is no such path, store or method.',
      action: 'Check the path of the query.',
    },
    invalidAddress: {
      code: 7,
      text: 'invalid address',
      cause: 'An address does not decode, has the wrong prefix, or may not receive coins.',
      action: 'Copy the address again; operators have the prefix `natvaloper`.',
    },
    invalidPublicKey: {
      code: 8,
      text: 'invalid pubkey',
      cause: 'The public key is malformed, of a kind that is not supported, or not that of the account.',
      action: 'Sign with an eth_secp256k1 or secp256k1 key, or a multisig of secp256k1 keys.',
    },
    unknownAddress: {
      code: 9,
      text: 'unknown address',
      cause: 'The account does not exist: it never received coins.',
      action: 'Fund the account first.',
    },
    invalidCoins: {
      code: 10,
      text: 'invalid coins',
      cause: 'Coins are not positive, not sorted, named twice, or of a malformed denomination.',
      action: 'Write amounts such as `5000anat`, each denomination once.',
    },
    outOfGas: {
      code: 11,
      text: 'out of gas',
      cause: 'The transaction needed more gas than its limit.',
      action: 'Simulate the transaction and send it again with a higher limit.',
    },
    memoTooLarge: {
      code: 12,
      text: 'memo too large',
      cause: 'The memo has more characters than the parameters of auth allow.',
      action: 'Shorten the memo.',
    },
    insufficientFee: {
      code: 13,
      text: 'insufficient fee',
      cause: 'The fee is below the base fee or below the least price of this node, or is not in `anat`.',
      action: 'Offer the fee that the message names, or more.',
    },
    tooManySignatures: {
      code: 14,
      text: 'maximum number of signatures exceeded',
      cause: 'The transaction has more signatures, or its multisig more keys, than are allowed.',
      action: 'Use fewer signers.',
    },
    noSignatures: {
      code: 15,
      text: 'no signatures supplied',
      cause: 'The transaction is not signed.',
      action: 'Sign it.',
    },
    invalidRequest: {
      code: 18,
      text: 'invalid request',
      cause: 'A field of a message or of a query has a value that is not allowed.',
      action: 'Correct what the message names.',
    },
    alreadyInMempool: {
      code: 19,
      text: 'tx already in mempool',
      cause: 'The same transaction waits in the pool of the node.',
      action: 'Nothing: wait for its block.',
    },
    mempoolFull: {
      code: 20,
      text: 'mempool is full',
      cause: 'The pool has no room at that price, or the account has as many transactions waiting as it may.',
      action: 'Offer a higher fee, or wait until earlier transactions are in blocks.',
    },
    tooLarge: {
      code: 21,
      text: 'tx too large',
      cause: 'The transaction has more bytes than a transaction may have.',
      action: 'Split it.',
    },
    keyNotFound: {
      code: 22,
      text: 'key not found',
      cause: 'The account, or another thing that was asked for, does not exist.',
      action: 'Check the name. An account exists once it has received coins.',
    },
    invalidHeight: {
      code: 26,
      text: 'invalid height',
      cause: 'The height is above the head.',
      action: 'Ask for a height that the chain has reached.',
    },
    invalidType: {
      code: 29,
      text: 'invalid type',
      cause: 'A proposal of the form of gov v1 was asked for by a query of v1beta1, which cannot express it.',
      action: 'Ask `cosmos.gov.v1.Query`.',
    },
    timeoutHeight: {
      code: 30,
      text: 'tx timeout height',
      cause: 'The transaction was not in a block up to the height that it names.',
      action: 'Sign it again with a later height.',
    },
    unknownExtension: {
      code: 31,
      text: 'unknown extension options',
      cause: 'The transaction has extension options, of which this chain knows none.',
      action: 'Leave them out.',
    },
    wrongSequence: {
      code: 32,
      text: 'incorrect account sequence',
      cause: 'Another transaction of the account, native or of Ethereum, used that sequence (the nonce).',
      action: 'Sign again with the sequence that is expected.',
    },
    notSupported: {
      code: 37,
      text: 'feature not supported',
      cause: 'The transaction uses something of the SDK that this chain does not have.',
      action: 'Do without it; docs/clients.md lists what there is.',
    },
    notFound: {
      code: 38,
      text: 'not found',
      cause: 'There is no such thing, or the state of that height is no longer kept.',
      action: 'Ask at another height, or ask an archive node.',
    },
    invalidGasLimit: {
      code: 41,
      text: 'invalid gas limit',
      cause: 'The gas limit is above that of a block, or above what a block has time for.',
      action: 'Set a lower gas limit.',
    },
  },
)

export const SDK_CODES = SDK_ERRORS.codes

/** The message ends as the SDK's wrapped errors do: in the words of its code. */
export const sdkError = (kind: keyof typeof SDK_CODES, message = ''): CodedError => {
  const { code, text } = SDK_ERRORS.entries[kind]
  return new CodedError('sdk', code, wrapWords(text, message))
}

/** Statuses of gRPC, for queries. */
export type QueryRefusal = 'unknown' | 'invalidArgument' | 'notFound' | 'unimplemented' | 'unavailable'

export const queryRefusal = (kind: QueryRefusal, message: string): CodedError =>
  new CodedError('grpc', GRPC[kind], message)
