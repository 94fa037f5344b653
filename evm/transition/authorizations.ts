/** Applies the authorization list of an EIP-7702 transaction: accounts name the code that runs for them. */
import { type Address, ZERO_ADDRESS } from '../../core/address.ts'
import { MAX_UINT64 } from '../../core/amounts.ts'
import { equalBytes } from '../../core/bytes.ts'
import { EMPTY_CODE_HASH } from '../../core/hash.ts'
import { type AccountState, EMPTY_ACCOUNT, type StateWriter } from '../../store/state.ts'
import { delegationCode, delegationOf } from '../delegation.ts'
import { NEW_ACCOUNT_GAS } from '../transaction/intrinsic-gas.ts'
import { recoverAuthority } from '../transaction/recover-authority.ts'
import type { Authorization } from '../transaction/transaction.ts'

/** PER_AUTH_BASE_COST of EIP-7702. */
const AUTHORIZATION_GAS = 12_500

export interface AppliedAuthorizations {
  /** Gas to refund for authorities that existed. */
  readonly refund: bigint
  /** Every authority whose signature is good: warm from now on, even where the tuple was skipped. */
  readonly authorities: readonly Address[]
}

const mayDelegate = (state: StateWriter, account: AccountState): boolean =>
  equalBytes(account.codeHash, EMPTY_CODE_HASH) || delegationOf(state.code(account.codeHash)) !== undefined

/** Invalid tuples are skipped. To be called after the sender's nonce has been raised. */
export const applyAuthorizations = (
  state: StateWriter,
  chainId: bigint,
  authorizations: readonly Authorization[],
): AppliedAuthorizations => {
  let refund = 0
  const authorities: Address[] = []
  for (const authorization of authorizations) {
    if (authorization.chainId !== 0n && authorization.chainId !== chainId) continue
    if (authorization.nonce >= MAX_UINT64) continue
    const authority = recoverAuthority(authorization)
    if (authority === undefined) continue
    authorities.push(authority)
    const existing = state.account(authority)
    const account = existing ?? EMPTY_ACCOUNT
    if (!mayDelegate(state, account) || account.nonce !== authorization.nonce) continue
    if (existing !== undefined) refund += NEW_ACCOUNT_GAS - AUTHORIZATION_GAS
    const codeHash = equalBytes(authorization.address, ZERO_ADDRESS)
      ? EMPTY_CODE_HASH
      : state.setCode(delegationCode(authorization.address))
    state.setAccount(authority, { ...account, nonce: account.nonce + 1n, codeHash })
  }
  return { refund: BigInt(refund), authorities }
}
