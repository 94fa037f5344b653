/** The chain of a stopped home, for commands that read its database while no node runs. */
import type { ChainParameters } from '../../app/records/chain-parameters.ts'
import { readChainParameters, readCommittedHeight } from '../../app/index/chain-reader.ts'
import type { KeyValueStore } from '../../store/store.ts'
import type { Home } from './config/home.ts'
import { cliError } from '../errors.ts'
import { withDatabase } from './open-database.ts'

export interface HomeChain {
  readonly store: KeyValueStore
  readonly parameters: ChainParameters
  /** The newest that is committed. */
  readonly height: number
}

/** Does what {@link withDatabase} does; throws cli/2 also where the database holds no chain yet. */
export const withHomeChain = async <Result>(
  home: Home,
  run: (chain: HomeChain) => Promise<Result> | Result,
): Promise<Result> =>
  await withDatabase(home, async (store) => {
    const parameters = readChainParameters(store)
    const height = readCommittedHeight(store)
    if (parameters === undefined || height === undefined) {
      throw cliError('homeMissing', `${home.database} holds no chain yet: the node of this home has not run yet`)
    }
    return await run({ store, parameters, height })
  })
