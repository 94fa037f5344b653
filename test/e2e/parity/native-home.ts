/** The home of our node for the native scenario. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTomlValue } from '../../../bin/config/toml-lines.ts'
import { type GenesisDocument, readGenesisJson, writeGenesis } from '../../../bin/genesis/document.ts'
import { invariant } from '../../../core/errors.ts'
import { accounts } from '../clients.ts'
import { runChain } from '../harness.ts'
import { CHAIN_ID, firstKeyFile } from './native-accounts.ts'
import { withParameters } from './native-genesis.ts'

export const BLOCK_MS = 250
const BALANCE = '1000000nat'

const step = async (...args: readonly string[]): Promise<void> => {
  const { status, stderr } = await runChain(args)
  invariant(status === 0, `chain ${args.join(' ')}: ${stderr}`)
}

/** As if its operator had created it just now, with the name that evmd gives it. */
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
  await step('init', 'parity', '--chain-id', CHAIN_ID, '--home', home)
  writeFileSync(join(home, 'config/priv_validator_key.json'), firstKeyFile())
  for (const { address } of accounts) await step('genesis', 'add-account', address, BALANCE, '--home', home)
  await step('genesis', 'add-validator', '--home', home)
  const path = join(home, 'config/genesis.json')
  const genesis = readGenesisJson(path) as GenesisDocument
  writeGenesis(path, { ...genesis, app_state: withValidator(withParameters(genesis.app_state)) } as GenesisDocument)
  const config = join(home, 'config/config.toml')
  writeFileSync(config, setTomlValue(readFileSync(config, 'utf8'), 'consensus.timeout_commit', `"${BLOCK_MS}ms"`))
}
