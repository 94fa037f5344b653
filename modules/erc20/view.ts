/** Native denominations as ERC-20 contracts: which may be, and what spenders may take. The precompile is in app/precompiles. */
import type { Address } from '../../core/address.ts'
import { DENOMINATION, MAX_UINT256 } from '../../core/amounts.ts'
import { isDenom } from '../../core/denom.ts'
import type { MessageContext } from '../module.ts'
import { sdkError } from '../sdk-errors.ts'
import { isTokenDenom } from './denom.ts'
import type { Erc20Dependencies } from './deps.ts'
import { erc20Error } from './errors.ts'
import { viewMade } from './events.ts'
import { readAllowance, readView, viewAddress, writeAllowance, writeView } from './keeper/index.ts'

/** An account with code, and an entry. */
const VIEW_GAS = 60_000n
/** Ethereum's price of a slot that is filled. */
const ALLOWANCE_GAS = 20_000n

/**
 * What is wrong with a denomination that shall be shown, or undefined. The native coin as a token beside itself has broken exchanges
 * on other chains, for the same coins come in through two doors; and the tokens of a contract have their contract.
 */
export const viewFault = (denom: string): string | undefined => {
  if (!isDenom(denom)) return `invalid denom: ${denom.slice(0, 128)}`
  if (denom === DENOMINATION) return `${denom} is the native coin, which wallets show as such`
  return isTokenDenom(denom) ? `${denom.slice(0, 128)} has a contract of its own` : undefined
}

/** Throws erc20/1 for what nobody has, and erc20/2. Returns the address of the contract. */
export const registerView = (
  context: MessageContext,
  { ledger, viewCode }: Erc20Dependencies,
  denom: string,
): Address => {
  const { state } = context
  context.consumeGas(VIEW_GAS, 'contract of a view')
  if (readView(state, viewAddress(denom)) !== undefined) throw erc20Error('known', `${denom} is registered already`)
  if (ledger.supply(state, denom) === 0n) throw sdkError('notFound', `nobody has any ${denom}`)
  const address = writeView(state, denom, viewCode)
  context.emit(viewMade(denom, address))
  return address
}

/** Sets what the spender may take. */
export const approve = (
  { state, consumeGas }: MessageContext,
  view: Address,
  owner: Address,
  spender: Address,
  amount: bigint,
): void => {
  consumeGas(ALLOWANCE_GAS, 'allowance')
  writeAllowance(state, view, owner, spender, amount)
}

/** Spends an allowance. Nothing is taken away from the greatest number, as wallets expect of it. Throws erc20/11. */
export const spendAllowance = (
  { state, consumeGas }: MessageContext,
  view: Address,
  owner: Address,
  spender: Address,
  amount: bigint,
): void => {
  consumeGas(ALLOWANCE_GAS / 4n, 'allowance')
  const allowed = readAllowance(state, view, owner, spender)
  if (allowed < amount) throw erc20Error('notAllowed', `ERC20: insufficient allowance: ${allowed} of ${amount}`)
  if (allowed < MAX_UINT256) writeAllowance(state, view, owner, spender, allowed - amount)
}
