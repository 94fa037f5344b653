/** Checks a whole genesis file before a chain starts with it: every failure names the member at fault. */
import { moduleAddress } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { bytesToKey, EMPTY_BYTES, plainBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { bytesToHex, bytesToUnprefixedHex } from '../../../core/hex.ts'
import { failAt, parseArray, parseInteger, parseObject, parseString } from '../../../core/parse.ts'
import { consensusAddress } from '../../../core/signature.ts'
import { parseTime } from '../../../core/time.ts'
import { APP_VERSION, type Genesis, parseGenesis } from '../../../app/genesis/genesis.ts'
import { MODULE_ACCOUNTS } from '../../../app/genesis/module-accounts.ts'
import type { InitChainRequest } from '../../../app/ports.ts'
import {
  checkConsensusParameters,
  type ConsensusGenesis,
  type ConsensusParameters,
  parseConsensusGenesis,
  roomFault,
  sameValidators,
} from '../../../modules/consensus/index.ts'
import type { ValidatorUpdate } from '../../../modules/module.ts'
import { POWER_REDUCTION } from '../../../modules/stake.ts'
import { parseStakingGenesis, type StakingGenesis } from '../../../modules/staking/index.ts'
import { cliError, errorText } from '../../errors.ts'
import type { GenesisDocument } from './document.ts'

const MEMBERS = [
  'genesis_time',
  'chain_id',
  'initial_height',
  'consensus_params',
  'validators',
  'app_hash',
  'app_state',
] as const

const MAX_VALIDATORS = 10_000
/** CometBFT's bound on the sum of all voting power: 2^63 / 8. */
const MAX_TOTAL_POWER = 2n ** 60n

export interface ValidGenesis {
  readonly chainId: string
  readonly evmChainId: bigint
  readonly initialHeight: number
  readonly validatorCount: number
  readonly accountCount: number
  readonly hardforks: Genesis['hardforks']
}

/** A file that was read and checked, and what CometBFT will ask for with it; app_state is read already, and left out there. */
export interface ReadGenesis {
  readonly valid: ValidGenesis
  readonly genesis: Genesis
  readonly request: InitChainRequest
}

export interface ExpectedChain {
  readonly chainId?: string | undefined
  readonly evmChainId?: bigint | undefined
}

const parseConsensusParameters = (value: unknown, path: string): ConsensusParameters => {
  // `authority` is a member of CometBFT v0.40; this chain's parameters are the application's.
  const root = parseObject(value, path, ['block', 'evidence', 'validator', 'version', 'abci', 'authority'])
  const block = parseObject(root['block'], `${path}.block`, ['max_bytes', 'max_gas'])
  const evidencePath = `${path}.evidence`
  const evidence = parseObject(root['evidence'], evidencePath, ['max_age_num_blocks', 'max_age_duration', 'max_bytes'])
  const validator = parseObject(root['validator'], `${path}.validator`, ['pub_key_types'])
  const version = parseObject(root['version'] ?? {}, `${path}.version`, ['app'])
  const abci = parseObject(root['abci'] ?? {}, `${path}.abci`, ['vote_extensions_enable_height'])
  return {
    block: {
      maxBytes: parseInteger(block['max_bytes'], `${path}.block.max_bytes`),
      maxGas: parseInteger(block['max_gas'], `${path}.block.max_gas`),
    },
    evidence: {
      maxAgeNumBlocks: parseInteger(evidence['max_age_num_blocks'], `${evidencePath}.max_age_num_blocks`),
      maxAgeDurationNs: BigInt(parseInteger(evidence['max_age_duration'], `${evidencePath}.max_age_duration`)),
      maxBytes: parseInteger(evidence['max_bytes'], `${evidencePath}.max_bytes`),
    },
    validator: {
      pubKeyTypes: parseArray(validator['pub_key_types'], `${path}.validator.pub_key_types`, 10).map((item, index) =>
        parseString(item, `${path}.validator.pub_key_types[${index}]`),
      ),
    },
    version: { app: parseInteger(version['app'] ?? 0, `${path}.version.app`) },
    abci: {
      voteExtensionsEnableHeight: parseInteger(
        abci['vote_extensions_enable_height'] ?? 0,
        `${path}.abci.vote_extensions_enable_height`,
      ),
    },
  }
}

const CONSENSUS_PATH = 'consensus_params'

const checkConsensus = (value: unknown): ConsensusParameters => {
  const path = CONSENSUS_PATH
  const parameters = parseConsensusParameters(value, path)
  if (parameters.version.app !== APP_VERSION) {
    failAt(
      `${path}.version.app`,
      `is ${parameters.version.app}, but this software is application version ${APP_VERSION}`,
    )
  }
  try {
    checkConsensusParameters(parameters)
  } catch (error) {
    failAt(path, errorText(error))
  }
  return parameters
}

const parseValidator = (value: unknown, path: string): ValidatorUpdate & { readonly address: string } => {
  const validator = parseObject(value, path, ['address', 'pub_key', 'power', 'name'])
  const key = parseObject(validator['pub_key'], `${path}.pub_key`, ['type', 'value'])
  const type = parseString(key['type'], `${path}.pub_key.type`)
  if (type !== 'tendermint/PubKeyEd25519') {
    failAt(`${path}.pub_key.type`, `must be tendermint/PubKeyEd25519, not ${type}`)
  }
  const publicKey = plainBytes(Buffer.from(parseString(key['value'], `${path}.pub_key.value`), 'base64'))
  if (publicKey.length !== 32) failAt(`${path}.pub_key.value`, `must be 32 bytes in base64, not ${publicKey.length}`)
  const address = parseString(validator['address'] ?? '', `${path}.address`)
  const expected = bytesToUnprefixedHex(consensusAddress(publicKey)).toUpperCase()
  if (address !== '' && address !== expected) failAt(`${path}.address`, `is ${address}, but its key gives ${expected}`)
  const power = BigInt(parseInteger(validator['power'], `${path}.power`))
  if (power === 0n) failAt(`${path}.power`, 'must be positive')
  return { address: expected, publicKey, power }
}

/** Parses the validators, in the order of their public keys. */
const parseValidators = (value: unknown): readonly ValidatorUpdate[] => {
  const seen = new Set<string>()
  let total = 0n
  const validators = parseArray(value ?? [], 'validators', MAX_VALIDATORS).map((item, index) => {
    const { address, publicKey, power } = parseValidator(item, `validators[${index}]`)
    if (seen.has(address)) failAt(`validators[${index}].pub_key`, `duplicate validator ${address}`)
    seen.add(address)
    total += power
    return { publicKey, power }
  })
  if (total > MAX_TOTAL_POWER)
    failAt('validators', `the powers sum to ${total}, at most ${MAX_TOTAL_POWER} are allowed`)
  return validators.toSorted((a, b) => Buffer.compare(a.publicKey, b.publicKey))
}

/** What an export says of itself must agree with what CometBFT reads. */
const checkExport = (
  { provenance }: Genesis,
  { validatorSets }: ConsensusGenesis,
  initialHeight: number,
  validators: readonly ValidatorUpdate[],
): void => {
  if (provenance !== undefined && provenance.height !== initialHeight - 1) {
    failAt('initial_height', `must be ${provenance.height + 1}: app_state.export is of height ${provenance.height}`)
  }
  const newest = validatorSets?.at(-1)
  if (newest !== undefined && !sameValidators(newest.validators, validators)) {
    failAt('validators', 'must be the newest of app_state.consensus.validator_sets')
  }
}

/** Each validator of CometBFT's list must have the stake that gives it its power: InitChain refuses the file else. */
const checkStakes = (staking: StakingGenesis, validators: readonly ValidatorUpdate[]): void => {
  const powers = new Map(
    staking.validators.map(({ publicKey, tokens, status }) => [
      bytesToKey(publicKey),
      status === 'bonded' ? tokens / POWER_REDUCTION : 0n,
    ]),
  )
  if (validators.length > 0 && powers.size === 0) {
    failAt(
      'app_state.staking',
      'the validators have no stake: a file of an earlier version must be made anew with "chain genesis add-validator"',
    )
  }
  // An export goes on with the powers of its last block, which stakes of this very block may have left behind.
  if (staking.exported) return
  for (const [index, { publicKey, power }] of validators.entries()) {
    const staked = powers.get(bytesToKey(publicKey)) ?? 0n
    if (staked !== power)
      failAt('validators', `${index} in the order of keys has power ${power}, but ${staked} NAT are staked`)
  }
}

/** A block must have room for the votes of as many validators as may come: InitChain refuses the file else. */
const checkRoom = (
  parameters: ConsensusParameters,
  { params }: StakingGenesis,
  { validatorSets = [] }: ConsensusGenesis,
  validatorCount: number,
): void => {
  const most = Math.max(
    params.maxValidators,
    validatorCount,
    ...validatorSets.map(({ validators }) => validators.length),
  )
  const fault = roomFault(parameters, most)
  if (fault !== undefined) failAt(CONSENSUS_PATH, fault)
}

const MODULE_BALANCES: ReadonlySet<string> = new Set(
  MODULE_ACCOUNTS.map(moduleAddress).flatMap((address) => [bytesToHex(address), encodeBech32(address)]),
)

const parseGenesisTime = (value: unknown): bigint => {
  const time = parseString(value, 'genesis_time')
  try {
    return parseTime(time)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return failAt('genesis_time', `"${time}" is no UTC time such as 2026-01-01T00:00:00Z`)
  }
}

const checkEnvelope = (document: unknown): ReadGenesis => {
  const root = parseObject(document, 'genesis', MEMBERS)
  const timeNs = parseGenesisTime(root['genesis_time'])
  const chainId = parseString(root['chain_id'], 'chain_id')
  if (chainId === '' || chainId.length > 50) failAt('chain_id', 'must have 1 to 50 characters')
  // CometBFT reads 0 as 1.
  const initialHeight = parseInteger(root['initial_height'] ?? '1', 'initial_height') || 1
  const consensusParameters = checkConsensus(root[CONSENSUS_PATH])
  const validators = parseValidators(root['validators'])
  const genesis = parseGenesis(root['app_state'], chainId)
  const consensus = parseConsensusGenesis(genesis.modules['consensus'])
  const staking = parseStakingGenesis(genesis.modules['staking'])
  checkExport(genesis, consensus, initialHeight, validators)
  checkStakes(staking, validators)
  checkRoom(consensusParameters, staking, consensus, validators.length)
  const { balances } = (document as GenesisDocument).app_state.bank ?? {}
  const valid: ValidGenesis = {
    chainId,
    evmChainId: genesis.evmChainId,
    initialHeight,
    validatorCount: validators.length,
    accountCount: (balances ?? []).filter(({ address }) => !MODULE_BALANCES.has(address.toLowerCase())).length,
    hardforks: genesis.hardforks,
  }
  const request = { timeNs, chainId, consensusParameters, validators, appState: EMPTY_BYTES, initialHeight }
  return { valid, genesis, request }
}

/** Throws cli/5 with `where`, the member and what is wrong with it, and cli/7 for another chain than is expected. */
export const readGenesis = (document: unknown, where: string, expected: ExpectedChain = {}): ReadGenesis => {
  let read: ReadGenesis
  try {
    read = checkEnvelope(document)
  } catch (error) {
    throw cliError('genesis', `${where}: ${errorText(error)}`)
  }
  const { valid } = read
  const { chainId, evmChainId } = expected
  if (chainId !== undefined && chainId !== valid.chainId) {
    throw cliError('wrongChain', `${where}: chain_id is ${valid.chainId}, but ${chainId} is expected`)
  }
  if (evmChainId !== undefined && evmChainId !== valid.evmChainId) {
    throw cliError(
      'wrongChain',
      `${where}: app_state.evm.chain_id is ${valid.evmChainId}, but evm.evm-chain-id of app.toml is ${evmChainId}`,
    )
  }
  return read
}

/**
 * Checks a file by itself, without writing what it describes: `rehearseGenesis` also finds what parts of it say against
 * each other. Throws as {@link readGenesis} does.
 */
export const validateGenesis = (document: unknown, where: string, expected: ExpectedChain = {}): ValidGenesis =>
  readGenesis(document, where, expected).valid
