/** Adds accounts and validators to a genesis document. */
import type { Address } from '../../../core/address.ts'
import { encodeBech32, parseAccountAddress } from '../../../core/bech32.ts'
import { bytesToHex, bytesToUnprefixedHex } from '../../../core/hex.ts'
import { ANAT_PER_NAT, BECH32_PREFIX, DENOMINATION, DISPLAY_DENOMINATION } from '../../../core/amounts.ts'
import { equalBytes, plainBytes } from '../../../core/bytes.ts'
import { consensusAddress } from '../../../core/signature.ts'
import { POWER_REDUCTION } from '../../../modules/stake.ts'
import { BONDED_POOL_ADDRESS, type GenesisValidator, genesisValidator } from '../../../modules/staking/index.ts'
import { formatOperator, parseOperator } from '../../../modules/validator-addresses.ts'
import { cliError, errorText } from '../../errors.ts'
import type { GenesisBalance, GenesisCoin, GenesisDocument } from '../../node/genesis/document.ts'

const OPERATOR_PREFIX = `${BECH32_PREFIX}valoper`

const MULTIPLES: Readonly<Record<string, bigint>> = { nat: ANAT_PER_NAT, [DENOMINATION]: 1n }

/** Coins such as 1000000nat, 5anat or 5anat,7uother; NAT becomes anat. Throws cli/5. */
export const parseCoins = (text: string): readonly GenesisCoin[] => {
  const seen = new Set<string>()
  return text.split(',').map((item) => {
    const match = /^([0-9]{1,60})([a-zA-Z][a-zA-Z0-9/:._-]{2,127})$/.exec(item.trim())
    if (match === null) {
      throw cliError(
        'genesis',
        `"${item}" is no amount: write 1000000${DISPLAY_DENOMINATION.toLowerCase()} or 5${DENOMINATION}`,
      )
    }
    const [, digits = '', name = ''] = match
    const multiple = MULTIPLES[name === DISPLAY_DENOMINATION ? 'nat' : name]
    const denom = multiple === undefined ? name : DENOMINATION
    if (seen.has(denom)) throw cliError('genesis', `"${text}" names ${denom} twice`)
    seen.add(denom)
    return { denom, amount: (BigInt(digits) * (multiple ?? 1n)).toString() }
  })
}

const sumSupply = (balances: readonly GenesisBalance[]): readonly GenesisCoin[] => {
  const sums = new Map<string, bigint>()
  for (const { coins } of balances) {
    for (const { denom, amount } of coins) sums.set(denom, (sums.get(denom) ?? 0n) + BigInt(amount))
  }
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([denom, amount]) => ({ denom, amount: amount.toString() }))
}

/** `address` as 0x... or nat1...; the supply follows. Throws cli/5 for a duplicate. */
export const addAccount = (document: GenesisDocument, address: string, amount: string): GenesisDocument => {
  let key: string
  try {
    key = bytesToHex(parseAccountAddress(address))
  } catch (error) {
    throw cliError('genesis', errorText(error))
  }
  const { bank } = document.app_state
  const isSame = (balance: GenesisBalance): boolean => bytesToHex(parseAccountAddress(balance.address)) === key
  if (bank.balances.some(isSame)) {
    throw cliError('genesis', `account ${key} (${encodeBech32(parseAccountAddress(key))}) is in the genesis already`)
  }
  const balances = [...bank.balances, { address: key, coins: parseCoins(amount) }]
  return { ...document, app_state: { ...document.app_state, bank: { ...bank, balances, supply: sumSupply(balances) } } }
}

/** Accounts in the form in which the file has them. */
const sameAccount = (a: string, b: Uint8Array): boolean => equalBytes(parseAccountAddress(a), b)

/** Adds to a balance that is there or not yet, or takes from it. Throws cli/5 for too little. */
const credit = (document: GenesisDocument, account: Address, amountAnat: bigint): GenesisDocument => {
  const { bank } = document.app_state
  const held = bank.balances.find(({ address }) => sameAccount(address, account))
  const coins = held?.coins ?? []
  const before = BigInt(coins.find(({ denom }) => denom === DENOMINATION)?.amount ?? '0')
  if (before + amountAnat < 0n) {
    throw cliError('genesis', `${encodeBech32(account)} has ${before}${DENOMINATION}, less than ${-amountAnat}`)
  }
  const after = {
    address: held?.address ?? bytesToHex(account),
    coins: [
      { denom: DENOMINATION, amount: (before + amountAnat).toString() },
      ...coins.filter(({ denom }) => denom !== DENOMINATION),
    ],
  }
  const balances =
    held === undefined ? [...bank.balances, after] : bank.balances.map((each) => (each === held ? after : each))
  return { ...document, app_state: { ...document.app_state, bank: { ...bank, balances, supply: sumSupply(balances) } } }
}

export interface NewValidator {
  /** The key in base64, as priv_validator_key.json has it. */
  readonly publicKey: string
  /** CometBFT's voting power: as many NAT are bonded, beside what the operator's account holds. */
  readonly power: number
  readonly name: string
  /** Whose validator it is: 0x..., nat1... or natvaloper1...; the first account without a validator when left out. */
  readonly operator?: string | undefined
}

interface StakingMember {
  readonly validators?: readonly { readonly operator_address: string }[]
  readonly delegations?: readonly unknown[]
}

const chooseOperator = (document: GenesisDocument, text: string | undefined): Address => {
  const { validators = [] } = (document.app_state['staking'] ?? {}) as StakingMember
  const taken = new Set(validators.map(({ operator_address }) => operator_address))
  if (text !== undefined) {
    try {
      const operator = text.startsWith(OPERATOR_PREFIX) ? parseOperator(text) : parseAccountAddress(text)
      if (!taken.has(formatOperator(operator))) return operator
    } catch (error) {
      throw cliError('genesis', errorText(error))
    }
    throw cliError('genesis', `${text} operates a validator of the genesis already`)
  }
  const free = document.app_state.bank.balances
    .map(({ address }) => parseAccountAddress(address))
    .find((address) => !taken.has(formatOperator(address)) && !equalBytes(address, BONDED_POOL_ADDRESS))
  if (free !== undefined) return free
  throw cliError('genesis', 'no account of the genesis is free to operate the validator: name one with --operator')
}

export interface BondedValidator extends GenesisValidator {
  /** The name in CometBFT's list; the moniker is the state's. */
  readonly name?: string
  /** The stake comes out of the operator's balance; else it comes beside it. */
  readonly isPaidByOperator?: boolean
}

/** A bonded validator with its self-delegation, in the state of staking and in CometBFT's list. Throws cli/5. */
export const bondValidator = (document: GenesisDocument, added: BondedValidator): GenesisDocument => {
  const { operator, publicKey, tokens, name = '', isPaidByOperator = false } = added
  const address = bytesToUnprefixedHex(consensusAddress(publicKey)).toUpperCase()
  const key = Buffer.from(publicKey).toString('base64')
  const validators = document.validators ?? []
  if (validators.some((validator) => validator.pub_key.value === key)) {
    throw cliError('genesis', `validator ${address} is in the genesis already`)
  }
  const { validator, delegation } = genesisValidator(added)
  const staking = (document.app_state['staking'] ?? {}) as StakingMember
  if ((staking.validators ?? []).some(({ operator_address }) => operator_address === formatOperator(operator))) {
    throw cliError('genesis', `${formatOperator(operator)} operates a validator of the genesis already`)
  }
  const paid = isPaidByOperator ? credit(document, operator, -tokens) : document
  const funded = credit(paid, BONDED_POOL_ADDRESS, tokens)
  return {
    ...funded,
    validators: [
      ...validators,
      {
        address,
        pub_key: { type: 'tendermint/PubKeyEd25519', value: key },
        power: (tokens / POWER_REDUCTION).toString(),
        name,
      },
    ],
    app_state: {
      ...funded.app_state,
      staking: {
        ...staking,
        validators: [...(staking.validators ?? []), validator],
        delegations: [...(staking.delegations ?? []), delegation],
      },
    },
  }
}

/** The validator of a key file. Throws cli/5. */
export const addValidator = (document: GenesisDocument, added: NewValidator): GenesisDocument => {
  const publicKey = plainBytes(Buffer.from(added.publicKey, 'base64'))
  const { name } = added
  return bondValidator(document, {
    operator: chooseOperator(document, added.operator),
    publicKey,
    tokens: BigInt(added.power) * POWER_REDUCTION,
    moniker: name === '' ? bytesToUnprefixedHex(consensusAddress(publicKey)).toUpperCase().slice(0, 8) : name,
    name,
  })
}
