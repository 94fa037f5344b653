/** Every codespace and code of the project, gathered from the tables beside the code that raises them. */
import { ABCI_ERRORS } from '../abci/errors.ts'
import {
  APP_ERRORS,
  POOL_ERRORS,
  PRECOMPILE_ERRORS,
  QUERY_ERRORS,
  REPLAY_ERRORS,
  SIMULATION_ERRORS,
} from '../app/error-codes.ts'
import { MODULES } from '../app/module-list.ts'
import { CLI_ERRORS } from '../bin/errors.ts'
import type { ErrorTable } from '../core/error-table.ts'
import { CORE_ERRORS } from '../core/errors.ts'
import { GRPC_ERRORS } from '../core/grpc-status.ts'
import { GENESIS_ERRORS } from '../core/parse.ts'
import { RLP_ERRORS } from '../core/rlp.ts'
import { DAEMON_ERRORS } from '../daemons/bridge/errors.ts'
import { EVM_ERRORS } from '../evm/error-codes.ts'
import { STATETEST_ERRORS } from '../evm/statetest/errors.ts'
import { SDK_ERRORS } from '../modules/sdk-errors.ts'
import { RPC_ERRORS } from '../rpc/errors.ts'
import { FEED_ERRORS } from '../rpc/feed/errors.ts'
import { STORE_ERROR_TABLE } from '../store/rocks/errors.ts'
import { ROLLBACK_ERRORS } from '../store/rollback.ts'
import { SNAPSHOT_ERRORS } from '../store/snapshot/errors.ts'
import { TRIE_ERRORS } from '../store/trie/errors.ts'

/** Those that most people meet come first. */
export const ERROR_LIST: readonly ErrorTable[] = [
  EVM_ERRORS,
  POOL_ERRORS,
  QUERY_ERRORS,
  SIMULATION_ERRORS,
  RPC_ERRORS,
  FEED_ERRORS,
  SDK_ERRORS,
  GRPC_ERRORS,
  ...MODULES.flatMap(({ errors = [] }) => errors),
  PRECOMPILE_ERRORS,
  APP_ERRORS,
  CLI_ERRORS,
  DAEMON_ERRORS,
  STORE_ERROR_TABLE,
  SNAPSHOT_ERRORS,
  ROLLBACK_ERRORS,
  REPLAY_ERRORS,
  GENESIS_ERRORS,
  ABCI_ERRORS,
  CORE_ERRORS,
  RLP_ERRORS,
  TRIE_ERRORS,
  STATETEST_ERRORS,
]
