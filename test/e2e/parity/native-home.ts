/** The home of our node for the native scenario. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GenesisDocument, readGenesisJson, writeGenesis } from '../../../bin/node/genesis/document.ts'
import { addValidatorOf, initFundedHome } from '../../../bin/testing/make-home.ts'
import { accounts } from '../clients.ts'
import { CHAIN_ID, firstKeyFile } from './native-accounts.ts'
import { withParameters } from './native-genesis.ts'

/** The time of a block of evmd. */
export const BLOCK_MS = 250
/** The scenario waits for 130 blocks, one after the other, and looks at no time of a block. */
const OUR_BLOCK_MS = 50
const BALANCE = '1000000nat'

/** Makes the validator look as if its operator had created it just now, with the name that evmd gives it. */
const withValidator = (state: Record<string, unknown>): Record<string, unknown> => {
  const staking = state['staking'] as { validators: readonly { description: object; commission: object }[] }
  const validators = staking.validators.map((validator) => ({
    ...validator,
    description: { ...validator.description, moniker: 'parity' },
    commission: { ...validator.commission, update_time: new Date().toISOString() },
  }))
  return { ...state, staking: { ...staking, validators } }
}

export const makeHome = async (home: string): Promise<void> => {
  await initFundedHome(home, {
    chainId: CHAIN_ID,
    moniker: 'parity',
    accounts: accounts.map(({ address }) => address),
    balance: BALANCE,
    timeoutCommitMs: OUR_BLOCK_MS,
  })
  writeFileSync(join(home, 'config/priv_validator_key.json'), firstKeyFile())
  addValidatorOf(home)
  const path = join(home, 'config/genesis.json')
  const genesis = readGenesisJson(path) as GenesisDocument
  writeGenesis(path, { ...genesis, app_state: withValidator(withParameters(genesis.app_state)) } as GenesisDocument)
}
