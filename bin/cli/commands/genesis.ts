/** `chain genesis ...`: edits, fetches and checks the genesis file. */
import { existsSync } from 'node:fs'
import type { Home } from '../../node/config/home.ts'
import { cliError, errorText } from '../../errors.ts'
import { type GenesisDocument, readGenesisJson, writeGenesis } from '../../node/genesis/document.ts'
import { addAccount, addValidator, type NewValidator } from '../genesis/edit.ts'
import { readValidatorPublicKey } from '../../node/genesis/validator-keys.ts'
import { rehearseGenesis } from '../../node/genesis/rehearse.ts'
import { type ExpectedChain, validateGenesis, type ValidGenesis } from '../../node/genesis/validate.ts'
import { fetchJson } from '../../node/runtime/comet-rpc.ts'

const FETCH_TIMEOUT_MS = 60_000

/** Reads, changes, checks and writes: a change that would spoil the file is refused. */
const editGenesis = (home: Home, change: (document: GenesisDocument) => GenesisDocument): ValidGenesis => {
  const document = readGenesisJson(home.genesis)
  validateGenesis(document, home.genesis)
  const changed = change(document as GenesisDocument)
  const valid = validateGenesis(changed, home.genesis)
  writeGenesis(home.genesis, changed)
  return valid
}

export const addGenesisAccount = (home: Home, address: string, amount: string): ValidGenesis =>
  editGenesis(home, (document) => addAccount(document, address, amount))

/** The validator of this home, by its priv_validator_key.json. */
export const addGenesisValidator = (home: Home, validator: Omit<NewValidator, 'publicKey'>): ValidGenesis =>
  editGenesis(home, (document) =>
    addValidator(document, { ...validator, publicKey: readValidatorPublicKey(home.validatorKey) }),
  )

/** The document itself, or the answer of a consensus RPC around it. */
const unwrap = (answer: unknown): unknown => {
  const result = (answer as { readonly result?: { readonly genesis?: unknown } } | null)?.result
  return result?.genesis ?? answer
}

/** Checks all that a start would. Throws as {@link rehearseGenesis} does. */
export const checkGenesisFile = (path: string): Promise<ValidGenesis> => rehearseGenesis(readGenesisJson(path), path)

/** What `chain init` made the home for. */
const chainIdOf = (home: Home): string | undefined => {
  if (!existsSync(home.genesis)) return undefined
  return validateGenesis(readGenesisJson(home.genesis), home.genesis).chainId
}

/** `url` names a file, or a consensus RPC whose /genesis is read. The file is written only when it is valid. */
export const fetchGenesis = async (home: Home, url: string, expected: ExpectedChain): Promise<ValidGenesis> => {
  if (!/^https?:\/\//.test(url)) throw cliError('usage', `"${url}" is no http or https URL`)
  const target = /\.json(?:\?.*)?$|\/genesis\/?$/.test(url) ? url : `${url.replace(/\/+$/, '')}/genesis`
  const document = unwrap(await fetchJson(target, { timeoutMs: FETCH_TIMEOUT_MS }))
  const valid = await rehearseGenesis(document, target, { chainId: chainIdOf(home), ...expected })
  if (valid.validatorCount === 0) throw cliError('genesis', `${target}: validators: a running network has at least one`)
  try {
    writeGenesis(home.genesis, document)
  } catch (error) {
    throw cliError('homeMissing', `cannot write ${home.genesis}: ${errorText(error)}`)
  }
  return valid
}

export const describeGenesis = (valid: ValidGenesis): string =>
  `valid genesis of ${valid.chainId} (EVM chain id ${valid.evmChainId}): ${valid.accountCount} accounts, ${valid.validatorCount} validators, initial height ${valid.initialHeight}`
