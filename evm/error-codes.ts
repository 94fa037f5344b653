/** The EVM's part of the list of errors. `errors.ts` has the functions that make errors of them. */
import { errorTable } from '../core/error-table.ts'

export const EVM_ERRORS = errorTable(
  'evm',
  "Transactions of Ethereum that are not valid, in geth's words, on which clients match. Seen over JSON-RPC, in CheckTx, " +
    'in results of transactions, in traces and simulations.',
  {
    typeNotSupported: {
      code: 1,
      text: 'transaction type not supported',
      cause: 'The type is unknown, or not active yet; blob transactions are not taken.',
      action: 'Send a transaction of type 0, 1, 2 or 4.',
    },
    typedTransactionTooShort: {
      code: 2,
      text: 'typed transaction too short',
      cause: 'There are no bytes after that of the type.',
      action: 'Encode the transaction anew.',
    },
    malformedTransaction: {
      code: 3,
      text: 'rlp: ...',
      cause: 'The bytes are not the canonical RLP of a transaction.',
      action: 'Encode the transaction anew.',
    },
    invalidSender: {
      code: 4,
      text: 'invalid sender: ...',
      cause: 'The signature belongs to no sender.',
      action: 'Sign again.',
    },
    invalidChainId: {
      code: 5,
      text: 'invalid sender: invalid chain id for signer: have ... want ...',
      cause: 'The transaction was signed for another chain.',
      action: 'Sign with the chain id that the message says.',
    },
    nonceTooLow: {
      code: 6,
      text: 'nonce too low: ...',
      cause: 'A transaction of the account with that nonce is in a block already.',
      action: 'Sign with the next nonce (`eth_getTransactionCount`).',
    },
    nonceTooHigh: {
      code: 7,
      text: 'nonce too high: ...',
      cause: 'A nonce before that one is missing.',
      action: 'Sign with the next nonce.',
    },
    nonceMax: {
      code: 8,
      text: 'nonce has max value',
      cause: 'The account has used every nonce there is (EIP-2681).',
      action: 'Use another account.',
    },
    insufficientFunds: {
      code: 9,
      text: 'insufficient funds for gas * price + value: ...',
      cause: 'The sender cannot pay the value and the whole gas limit at the fee cap.',
      action: 'Fund the account, send less, or lower gas limit or price.',
    },
    insufficientFundsForTransfer: {
      code: 10,
      text: 'insufficient funds for transfer: ...',
      cause: 'In a call that pays no gas, the sender has less than the value.',
      action: 'Send less, or override the balance.',
    },
    intrinsicGasTooLow: {
      code: 11,
      text: 'intrinsic gas too low: ...',
      cause: 'The gas limit does not cover what a transaction costs before it executes.',
      action: 'Set at least the gas limit that the message says.',
    },
    floorDataGasTooLow: {
      code: 12,
      text: 'insufficient gas for floor data gas cost: ...',
      cause: 'The gas limit is below the least for so much data (EIP-7623).',
      action: 'Set at least the gas limit that the message says.',
    },
    tipAboveFeeCap: {
      code: 13,
      text: 'max priority fee per gas higher than max fee per gas',
      cause: 'The tip is above the fee cap.',
      action: 'Lower the tip, or raise the fee cap.',
    },
    feeCapTooLow: {
      code: 14,
      text: 'max fee per gas less than block base fee: ...',
      cause: 'The fee cap is below the base fee of the block.',
      action: 'Raise the fee cap.',
    },
    feeCapVeryHigh: {
      code: 15,
      text: 'max fee per gas higher than 2^256-1',
      cause: 'The fee cap does not fit into 256 bits.',
      action: 'Lower the fee cap.',
    },
    tipVeryHigh: {
      code: 16,
      text: 'max priority fee per gas higher than 2^256-1',
      cause: 'The tip does not fit into 256 bits.',
      action: 'Lower the tip.',
    },
    gasLimitTooHigh: {
      code: 17,
      text: 'transaction gas limit too high (cap: ..., tx: ...)',
      cause: 'The gas limit is above that of one transaction (EIP-7825).',
      action: 'Lower the gas limit, or split the work.',
    },
    exceedsBlockGasLimit: {
      code: 18,
      text: 'exceeds block gas limit',
      cause: 'The gas limit is above that of a block.',
      action: 'Lower the gas limit.',
    },
    initCodeTooLarge: {
      code: 19,
      text: 'max initcode size exceeded: ...',
      cause: 'The code of a creation is too large (EIP-3860).',
      action: 'Deploy less code, or several contracts.',
    },
    senderNotEoa: {
      code: 20,
      text: 'sender not an eoa: ...',
      cause: 'The sender has code that is not a delegation (EIP-3607).',
      action: 'Use an account without code.',
    },
    emptyAuthorizationList: {
      code: 21,
      text: 'set code tx must have at least one authorization tuple | EIP-7702 transaction with empty auth list ...',
      cause: 'A transaction of type 4 has no authorizations.',
      action: 'Add one, or send a transaction of type 2.',
    },
    setCodeCreation: {
      code: 22,
      text: 'EIP-7702 transaction cannot be used to create contract ...',
      cause: 'A transaction of type 4 has no receiver.',
      action: 'Name a receiver, or create with a transaction of type 2.',
    },
    blobTransactionCreation: {
      code: 23,
      text: 'blob transaction of type create',
      cause: 'A call with blobs has no receiver.',
      action: 'Name a receiver.',
    },
    missingBlobHashes: {
      code: 24,
      text: 'blob transaction missing blob hashes',
      cause: 'A call with a blob fee has no blobs.',
      action: 'Add blob hashes, or leave the blob fee out.',
    },
    tooManyBlobs: {
      code: 25,
      text: 'blob transaction has too many blobs',
      cause: 'A call has more blobs than a transaction may have.',
      action: 'Use fewer blobs.',
    },
    invalidBlobHashVersion: {
      code: 26,
      text: 'blob ... has invalid hash version',
      cause: 'A blob hash does not begin with its version, 0x01.',
      action: 'Give versioned hashes (EIP-4844).',
    },
    blobFeeCapTooLow: {
      code: 27,
      text: 'max fee per blob gas less than block blob gas fee: ...',
      cause: 'The blob fee is below that of the block.',
      action: 'Raise the blob fee.',
    },
    badKzgArguments: {
      code: 28,
      text: 'C_KZG_BADARGS',
      cause: 'The input of the precompile of EIP-4844 is not a valid proof. Its call fails; no client sees this text.',
      action: 'Give a valid commitment, proof and point.',
    },
    overWeight: {
      code: 29,
      text: 'the transaction makes every node work for longer than the block has room for',
      cause: 'The transaction weighs more than is left of the block, or of a whole block (docs/adr/032).',
      action: 'Lower the gas limit, or split the work.',
    },
  },
)
