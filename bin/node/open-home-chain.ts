/** The chain of a stopped home, for commands that read its database while no node runs. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ChainParameters } from '../../app/chain.ts'
import { readChainParameters, readCommittedHeight } from '../../app/index/chain-reader.ts'
import type { KeyValueStore } from '../../store/store.ts'
import type { Home } from '../config/home.ts'
import { cliError } from '../errors.ts'
import { closeStore, openDatabase } from './open-database.ts'

export interface HomeChain {
  readonly store: KeyValueStore
  readonly parameters: ChainParameters
  /** The newest that is committed. */
  readonly height: number
}

/** Runs with the open database, and closes it. Throws cli/2, cli/11 and store errors. */
export const withHomeChain = async <Result>(
  home: Home,
  run: (chain: HomeChain) => Promise<Result> | Result,
): Promise<Result> => {
  // RocksDB would make an empty one.
  if (!existsSync(join(home.database, 'CURRENT'))) {
    throw cliError('homeMissing', `${home.database} is no database: has a node run with this home?`)
  }
  const store = await openDatabase(home.database)
  try {
    const parameters = readChainParameters(store)
    const height = readCommittedHeight(store)
    if (parameters === undefined || height === undefined) {
      throw cliError('homeMissing', `${home.database} holds no chain yet`)
    }
    return await run({ store, parameters, height })
  } finally {
    await closeStore(store)
  }
}
