/** The stakes behind the validators of a simulated chain: what `chain genesis add-validator` writes. */
import { type Address, moduleAddress } from '../../core/address.ts'
import { sha256 } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import { utf8ToBytes } from '../../core/bytes.ts'
import { POWER_REDUCTION } from '../../modules/stake.ts'
import { genesisValidator } from '../../modules/staking/index.ts'

interface StakedValidator {
  readonly publicKey: Uint8Array
  readonly power: bigint
}

interface AppState {
  readonly bank?: { readonly balances?: readonly unknown[]; readonly supply?: unknown }
  readonly staking?: unknown
}

/** The operators of the validators of tests that never act for them. */
export const operatorOf = (index: number): Address => sha256(utf8ToBytes(`operator ${index}`)).slice(0, 20)

/** Leaves a state alone that has stakes, such as an export. */
export const withStake = (
  appState: unknown,
  validators: readonly StakedValidator[],
  operators: readonly Address[] = validators.map((_, index) => operatorOf(index)),
): unknown => {
  const { bank, staking, ...rest } = appState as AppState
  const given = (staking ?? {}) as { readonly validators?: unknown }
  if (given.validators !== undefined || validators.length === 0) return appState
  const members = validators.map(({ publicKey, power }, index) =>
    genesisValidator({
      operator: operators[index] ?? operatorOf(index),
      publicKey,
      tokens: power * POWER_REDUCTION,
      moniker: `validator ${index}`,
    }),
  )
  const bonded = validators.reduce((sum, { power }) => sum + power * POWER_REDUCTION, 0n)
  const pool = {
    address: bytesToHex(moduleAddress('bonded_tokens_pool')),
    coins: [{ denom: 'anat', amount: bonded.toString() }],
  }
  const { supply: _, ...others } = bank ?? {}
  return {
    ...rest,
    bank: { ...others, balances: [...(bank?.balances ?? []), pool] },
    staking: {
      ...given,
      validators: members.map(({ validator }) => validator),
      delegations: members.map(({ delegation }) => delegation),
    },
  }
}
