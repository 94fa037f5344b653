/** `chain verify`: whether the database of a stopped home is what its headers commit to. */
import { isModuleAddress } from '../../../app/genesis/module-accounts.ts'
import { readChainParameters, readCommittedHeight, ChainReader } from '../../../app/index/chain-reader.ts'
import { verifyBlocks } from '../../../app/index/verify-blocks.ts'
import { readBaseHeight } from '../../../store/base-height.ts'
import type { KeyValueStore } from '../../../store/store.ts'
import { verifyState } from '../../../store/verify-state.ts'
import type { Home } from '../../node/config/home.ts'
import { cliError } from '../../errors.ts'
import { withDatabase } from '../../node/open-database.ts'

export interface VerifyOptions {
  readonly home: Home
  /** The lowest block that is here when left out. */
  readonly from?: number
  /** The head when left out. */
  readonly to?: number
  say(line: string): void
}

const damaged = (difference: string): Error => cliError('damaged', `${difference}: restore from a snapshot`)

const verifyDatabase = (store: KeyValueStore, { from, to, say }: VerifyOptions): void => {
  const parameters = readChainParameters(store)
  const head = readCommittedHeight(store)
  if (parameters === undefined || head === undefined)
    throw cliError('homeMissing', 'the chain of this home has not begun')
  const genesisHeight = parameters.initialHeight - 1
  const lowest = Math.max(genesisHeight, readBaseHeight(store))
  const first = from ?? lowest
  const last = to ?? head
  if (first < lowest || last > head || first > last) {
    throw cliError('usage', `blocks ${first} to ${last} cannot be checked: there are those from ${lowest} to ${head}`)
  }
  const reader = new ChainReader(store)
  const record = reader.header(head)
  if (record === undefined) throw damaged(`block ${head} is missing`)
  const verdict = verifyState(store, record.header.stateRoot, isModuleAddress)
  if ('difference' in verdict) throw damaged(`state of height ${head}: ${verdict.difference}`)
  const { accounts, slots, values, nodes, codes } = verdict
  const counted = `${accounts} accounts, ${slots} slots, ${values} module values, ${nodes} trie nodes, ${codes} codes`
  say(`state of height ${head}: ${counted}`)
  const difference = verifyBlocks(reader, first, last, { genesisHeight, lowest })
  if (difference !== undefined) throw damaged(difference)
  say(`blocks ${first} to ${last}: roots, blooms, receipts, indexes and hashes are right`)
}

/** Throws cli/15 with the first difference; cli/1, cli/2, cli/11, cli/16 and store errors. */
export const verifyCommand = async (options: VerifyOptions): Promise<void> =>
  await withDatabase(options.home, (store) => verifyDatabase(store, options))
