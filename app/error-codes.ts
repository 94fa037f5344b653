/** The application's part of the list of errors. `errors.ts` has what makes errors of them. */
import { errorTable } from '../core/error-table.ts'

/** rpc/errors.ts and rpc/native/status.ts say which numbers of JSON-RPC and gRPC these become. */
export const QUERY_ERRORS = errorTable(
  'query',
  'Questions that cannot be answered. Seen over JSON-RPC, REST and gRPC with the numbers of those.',
  {
    failed: {
      code: 1,
      text: 'header not found | filter not found | ...',
      cause: 'The thing that was asked for does not exist, or cannot be computed.',
      action: 'Check block, hash and filter of the request.',
    },
    invalidParameters: {
      code: 2,
      text: 'invalid block range params | ...',
      cause: 'Parameters that only the application can judge contradict each other or the state.',
      action: 'Correct what the message names.',
    },
    reverted: {
      code: 3,
      text: 'execution reverted | execution reverted: ...',
      cause: 'The contract that was called reverted. `data` holds what it returned.',
      action: 'Read the reason, or decode `data` with the ABI of the contract.',
    },
    timeout: {
      code: 4,
      text: 'execution aborted (timeout = ...s)',
      cause: 'The execution took longer than `json-rpc.evm-timeout`.',
      action: 'Ask for less, or ask a node with a longer limit.',
    },
    limit: {
      code: 5,
      text: 'exceed maximum block range ... | query returned more than ... results | ...',
      cause: 'The question passes a limit of the node, or too many of them wait.',
      action: 'Ask for fewer blocks or results at once, or try again later.',
    },
    unsupported: {
      code: 6,
      text: 'the question ... is not known | ...',
      cause: 'Gateway and application are of different versions, or this node does not have what was asked for.',
      action: 'Run gateway and application of one version, or ask another node.',
    },
    tooLarge: {
      code: 7,
      text: 'the answer is larger than ... bytes: ask for less',
      cause: 'The answer would not fit into the limit of one answer.',
      action: 'Ask for less at once.',
    },
    prunedHistory: {
      code: 8,
      text: 'pruned history unavailable',
      cause: 'The block is below the lowest that this node keeps.',
      action: 'Ask an archive node.',
    },
    prunedState: {
      code: 9,
      text: 'historical state ... is not available',
      cause: 'The node keeps the block, but no longer the state of its height.',
      action: 'Ask a node with `pruning = "nothing"`.',
    },
    blockNotTold: {
      code: 10,
      text: 'what block ... changed of the order book is not known here any more, or not yet',
      cause:
        'A stream of the order book cannot be taken up at this height: it is more than 64 blocks back, or the node was started anew since. `data` has `from_height`, the lowest ' +
        'at which it can.',
      action:
        'Subscribe without `from_height`, for a snapshot. `clob_getFills` and `clob_getTrades` tell what was missed.',
    },
  },
)

export const SIMULATION_ERRORS = errorTable(
  'simulation',
  'Why `eth_simulateV1` refuses. Over JSON-RPC a code from 10 on becomes -38000 less the code, as in geth.',
  {
    invalidCall: {
      code: 1,
      text: '...',
      cause: 'A call of the simulation is not valid in a way for which geth has no number.',
      action: 'Correct what the message names.',
    },
    crashed: {
      code: 2,
      text: 'method handler crashed',
      cause: 'The request has a shape at which the handler of geth crashes.',
      action: 'Leave out null withdrawals, and creations in transactions of types that cannot create.',
    },
    nonceTooLow: {
      code: 10,
      text: 'nonce too low: ...',
      cause: 'The nonce of a call is below that of its sender.',
      action: 'Leave the nonce out, or raise it.',
    },
    nonceTooHigh: {
      code: 11,
      text: 'nonce too high: ...',
      cause: 'The nonce of a call is above that of its sender.',
      action: 'Leave the nonce out, or lower it.',
    },
    intrinsicGas: {
      code: 13,
      text: 'intrinsic gas too low: ...',
      cause: 'The gas of a call does not pay for what a transaction costs before it executes.',
      action: 'Give more gas.',
    },
    insufficientFunds: {
      code: 14,
      text: 'insufficient funds for gas * price + value: ...',
      cause: 'The sender of a call cannot pay for it.',
      action: 'Override the balance of the sender, or send less.',
    },
    blockGasLimitReached: {
      code: 15,
      text: 'block gas limit reached: ... >= ...',
      cause: 'The calls of a block have used all of its gas.',
      action: 'Spread the calls over more blocks.',
    },
    blockNumberInvalid: {
      code: 20,
      text: 'block numbers must be in order: ... <= ...',
      cause: 'The number of a block is not above that of the block before it.',
      action: 'Number the blocks in order.',
    },
    blockTimestampInvalid: {
      code: 21,
      text: 'block timestamps must be in order: ... <= ...',
      cause: 'The time of a block is not after that of the block before it.',
      action: 'Put the times in order.',
    },
    initCodeTooLarge: {
      code: 25,
      text: 'max initcode size exceeded: ...',
      cause: 'The code that a call deploys is too large (EIP-3860).',
      action: 'Deploy less code.',
    },
    limitExceeded: {
      code: 26,
      text: 'too many blocks | too many logs',
      cause: 'The simulation passes a limit of the node.',
      action: 'Simulate less at once.',
    },
  },
)

export const POOL_ERRORS = errorTable(
  'pool',
  'Why a transaction was not taken into the pool. Codes are those of CheckTx on port 26657; over JSON-RPC geth says ' +
    'the same in the same words.',
  {
    alreadyKnown: {
      code: 2,
      text: 'already known',
      cause: 'The same transaction waits in the pool.',
      action: 'Nothing: wait for its block.',
    },
    underpriced: {
      code: 3,
      text: 'tx underpriced',
      cause: 'The price is below the least that this node takes. `data` has both.',
      action: 'Offer a higher price.',
    },
    replacementUnderpriced: {
      code: 4,
      text: 'replacement transaction underpriced',
      cause: 'Another transaction has that nonce, and this one does not pay enough more in both fee and tip.',
      action: 'Raise both by at least 10 % (`evm.mempool.price-bump`), or wait.',
    },
    insufficientFunds: {
      code: 6,
      text: 'insufficient funds for gas * price + value: ...',
      cause: 'The sender cannot pay for this transaction, or for all that wait in the pool together.',
      action: 'Fund the account, or send less.',
    },
    full: {
      code: 7,
      text: 'txpool is full | the transaction cannot be stored: the disk of the node does not take it',
      cause: 'The pool has no room at that price, or the disk of the node is full.',
      action: 'Offer a higher price, or try again later; operators free some space.',
    },
    accountLimit: {
      code: 8,
      text: 'txpool is full: too many transactions of this account are waiting',
      cause: 'The account has as many transactions in the pool as it may have.',
      action: 'Wait until some are in blocks.',
    },
    oversized: {
      code: 9,
      text: 'oversized data: transaction size ..., limit ...',
      cause: 'The transaction has more bytes than a transaction may have.',
      action: 'Split it.',
    },
    unprotected: {
      code: 10,
      text: 'only replay-protected (EIP-155) transactions allowed over RPC',
      cause: 'The signature names no chain.',
      action: 'Sign with the chain id.',
    },
    feeCap: {
      code: 11,
      text: 'tx fee (... ether) exceeds the configured cap (... ether)',
      cause: 'The fee is above `json-rpc.txfee-cap`, which protects from mistyped prices.',
      action: 'Lower gas or price, or send through a node with a higher cap.',
    },
    familyNotSupported: {
      code: 13,
      text: 'transactions of the ... family are not supported',
      cause: 'The bytes begin as a transaction of a kind that this chain does not execute.',
      action: 'Send a transaction of Ethereum or of the Cosmos SDK.',
    },
    wrongChain: {
      code: 14,
      text: 'invalid sender: invalid chain id for signer: have ... want ...',
      cause: 'The transaction was signed for another chain.',
      action: 'Sign with the chain id that the message says.',
    },
    gone: {
      code: 15,
      text: 'no longer in the pool',
      cause: 'CometBFT asked again for a transaction that was included, replaced or evicted, or has expired.',
      action: 'Nothing: CometBFT drops it.',
    },
    waiting: {
      code: 16,
      text: '...: the transaction waits in the pool of this node',
      cause: 'The transaction cannot execute yet, for instance because a nonce before it is missing.',
      action: 'Send what is missing. The node tells the network of the transaction once it can execute.',
    },
    setAside: {
      code: 17,
      text: 'the transaction takes too long to execute: ... | the transaction cannot be executed by this node, ...',
      cause: 'It cost a proposer more than it pays for, or executing it failed: it is not taken again for an hour.',
      action: 'Send another transaction, with a gas limit closer to what it uses; operators read the log.',
    },
    gasCap: {
      code: 18,
      text: 'tx gas limit ... exceeds the cap of this node ...',
      cause: 'The gas limit is above `evm.max-tx-gas-wanted` of the node. Others may take the transaction.',
      action: 'Lower the gas limit, or send through a node with a higher cap.',
    },
  },
  // 5: a nonce too low is told as evm/6.
  [5, 12],
)

export const APP_ERRORS = errorTable(
  'app',
  'Results of transactions in a decided block that are not valid there, and refusals of the lifecycle of the chain.',
  {
    invalidInBlock: {
      code: 1,
      text: '...',
      cause: 'A proposer put the transaction into a block in which it is not valid: it has no effect.',
      action: 'Nothing: the sender pays nothing, and may send it again.',
    },
    familyNotSupported: {
      code: 2,
      text: '...',
      cause: 'A proposer put bytes into a block that are a transaction of no kind, or of one that is not executed.',
      action: 'Nothing: they have no effect.',
    },
    outOfGas: {
      code: 3,
      text: 'gas limit reached: the block has ... gas left, the transaction asks for ...',
      cause: 'The block had too little gas left for the transaction.',
      action: 'Nothing: proposers take it into a later block.',
    },
    outOfOrder: {
      code: 10,
      text: 'FinalizeBlock of height ...: the application is at ... | ...',
      cause: 'CometBFT and the application disagree on where the chain is, for instance after only one was restored.',
      action: 'Restore both from one snapshot, or roll both back: see docs/operating.md.',
    },
    genesis: {
      code: 11,
      text: "app_state contradicts itself (...): ... | the state root is ..., the export's is ...: ... | ...",
      cause: 'The genesis file parses, but no chain can begin with it.',
      action: 'Correct the file, or fetch it again; `chain genesis validate` says the same without a node.',
    },
    rollback: {
      code: 12,
      text: 'there is no chain to roll back | height ... is not below the head, ... | ...',
      cause: 'The database cannot be taken back to that height.',
      action: 'Name a height within the bounds of the message.',
    },
    damaged: {
      code: 13,
      text: 'block ... is missing: ... | after the rollback ...: restore from a snapshot',
      cause: 'The database is not what its headers commit to.',
      action: 'Restore from a snapshot.',
    },
    upgrade: {
      code: 14,
      text: '...',
      cause: 'Governance decided that the next block needs another version of this software.',
      action: 'Install the version that the message names, and start again.',
    },
  },
)

export const REPLAY_ERRORS = errorTable('replay', 'Blocks that `chain replay` cannot execute once more.', {
  notPossible: {
    code: 1,
    text: 'an account is deleted with its storage: this block cannot be replayed',
    cause: 'A block from before EIP-6780 deleted a contract with its storage, which replay cannot undo.',
    action: 'Replay other blocks.',
  },
  incomplete: {
    code: 2,
    text: '... is not in the database: it is damaged',
    cause: 'Something that the block needs is missing from the database.',
    action: 'Run `chain verify`, and restore from a snapshot.',
  },
})

export const PRECOMPILE_ERRORS = errorTable(
  'precompile',
  'Calls of the native precompiles that are refused. The text is the reason with which the call reverts.',
  {
    refused: {
      code: 1,
      text: '...',
      cause: 'The input does not decode, or the native message behind the call was refused.',
      action: 'Read the reason; contracts and clients use the ABI of `packages/precompiles`.',
    },
  },
)
