/** Tokens to coins and back. All of it happens in one frame: whatever fails takes everything with it. */
import type { Address } from '../../core/address.ts'
import { bytesToHex } from '../../core/hex.ts'
import type { MessageContext } from '../module.ts'
import { sdkError } from '../sdk-errors.ts'
import { requireContracts, TokenContract } from './contract.ts'
import { denomOf } from './denom.ts'
import type { Erc20Dependencies } from './deps.ts'
import { erc20Error } from './errors.ts'
import { deposited, withdrawn } from './events.ts'
import { isLocked, readParams, readToken, setLocked, type Token, writeToken } from './keeper/index.ts'

export interface Conversion {
  readonly sender: Address
  readonly receiver: Address
  readonly token: Address
  /** The amount, above zero. */
  readonly amount: bigint
}

/** Throws erc20/1. */
export const requireToken = ({ state }: Pick<MessageContext, 'state'>, address: Address): Token => {
  const token = readToken(state, address)
  if (token === undefined) throw erc20Error('unknownToken', `the contract ${bytesToHex(address)} is not registered`)
  return token
}

/** Coins and tokens at the account of a module have a meaning there. Throws sdk/4. */
const checkReceiver = ({ receiver }: Conversion, { ledger }: Erc20Dependencies): void => {
  if (!ledger.isBlockedReceiver(receiver)) return
  throw sdkError('unauthorized', `${bytesToHex(receiver)} is not allowed to receive funds`)
}

/**
 * Nothing else is converted while code of a token runs: within it the escrow holds what is not accounted for yet, and a second
 * measurement would count it twice.
 */
const locked = <Result>({ state }: MessageContext, run: () => Result): Result => {
  if (isLocked(state)) throw erc20Error('locked', 'a deposit or a withdrawal is under way')
  setLocked(state, true)
  // What throws takes the lock with it: the whole message is undone.
  const result = run()
  setLocked(state, false)
  return result
}

/** The escrow before tokens move. Throws erc20/8: whoever came next would pay for what is missing, or leave it to others. */
const measureSolvent = (contract: TokenContract, denom: string, owed: bigint): bigint => {
  const held = contract.measure()
  if (held >= owed) return held
  throw erc20Error('insolvent', `the escrow holds ${held} of ${denom}, and ${owed} are owed`)
}

const wrongDifference = (denom: string, change: bigint, wanted: bigint) =>
  erc20Error('wrongDifference', `the escrow of ${denom} changed by ${change}, not by ${wanted}`)

/** Throws erc20/4 of one that is not taken now. */
const checkTaken = (isEnabled: boolean, { depositsEnabled }: Token, denom: string): void => {
  if (isEnabled && depositsEnabled) return
  throw erc20Error('switchedOff', `depositing ${denom} is switched off`)
}

/** Returns the coins that were made: as much as the escrow got. Throws erc20/1 to erc20/9. */
export const deposit = (context: MessageContext, dependencies: Erc20Dependencies, conversion: Conversion): bigint => {
  const { sender, receiver, token: address, amount } = conversion
  const { ledger } = dependencies
  const { state, height } = context
  const denom = denomOf(address)
  const contracts = requireContracts(context)
  const params = readParams(state)
  const token = requireToken(context, address)
  checkTaken(params.enabled, token, denom)
  checkReceiver(conversion, dependencies)
  return locked(context, () => {
    const contract = new TokenContract(contracts, address, sender, params)
    const before = measureSolvent(contract, denom, ledger.supply(state, denom))
    contract.take(sender, amount)
    const after = contract.measure()
    const credited = after - before
    if (credited <= 0n || credited > amount) throw wrongDifference(denom, credited, amount)
    ledger.mint(context, receiver, [{ denom, amount: credited }])
    writeToken(state, { ...token, measured: after, measuredHeight: height })
    context.emit(deposited(address, sender, receiver, amount, credited))
    return credited
  })
}

/** Throws sdk/5, and erc20/1 to erc20/9. */
export const withdraw = (context: MessageContext, dependencies: Erc20Dependencies, conversion: Conversion): void => {
  const { sender, receiver, token: address, amount } = conversion
  const { ledger } = dependencies
  const { state, height } = context
  const denom = denomOf(address)
  const contracts = requireContracts(context)
  const token = requireToken(context, address)
  checkReceiver(conversion, dependencies)
  locked(context, () => {
    const contract = new TokenContract(contracts, address, sender, readParams(state))
    const before = measureSolvent(contract, denom, ledger.supply(state, denom))
    ledger.burn(context, sender, [{ denom, amount }])
    contract.give(receiver, amount)
    const after = contract.measure()
    if (before - after !== amount) throw wrongDifference(denom, after - before, -amount)
    writeToken(state, { ...token, measured: after, measuredHeight: height })
    context.emit(withdrawn(address, sender, receiver, amount))
  })
}
