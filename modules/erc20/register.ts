/** Making contracts known. */
import type { Address } from '../../core/address.ts'
import { DENOMINATION } from '../../core/amounts.ts'
import { EMPTY_CODE_HASH } from '../../core/hash.ts'
import { equalBytes } from '../../core/bytes.ts'
import { bytesToHex } from '../../core/hex.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import type { MessageContext } from '../module.ts'
import { requireContracts, TokenContract } from './contract.ts'
import { denomOf } from './denom.ts'
import type { Erc20Dependencies } from './deps.ts'
import { erc20Error } from './errors.ts'
import { tokenSet } from './events.ts'
import { readParams, readToken, readView, type Token, writeToken } from './keeper/index.ts'
import { DEFAULT_SYMBOL, describe } from './metadata.ts'

/** A record and the bank's metadata of it: about 500 bytes that stay. */
const REGISTRATION_GAS = 100_000n

/** Throws erc20/3 for what is no contract, and for the chain's own; erc20/10 where its coins are there already, which nobody has measured. */
export const checkContract = (state: StateReader, token: Address, { ledger }: Erc20Dependencies): void => {
  const account = state.account(token)
  const text = bytesToHex(token)
  if (account === undefined || equalBytes(account.codeHash, EMPTY_CODE_HASH)) {
    throw erc20Error('noToken', `${text} is no token: it has no code`)
  }
  if (ledger.isBlockedReceiver(token) || readView(state, token) !== undefined) {
    throw erc20Error('noToken', `${text} is no token: it is a contract of the chain`)
  }
  const owed = ledger.supply(state, denomOf(token))
  if (owed > 0n) throw erc20Error('inUse', `${owed} of ${text} are owed`)
}

/** Keeps a token, and tells the bank of it. */
export const saveToken = (state: StateWriter, token: Token, { describeDenom }: Erc20Dependencies): void => {
  writeToken(state, token)
  describeDenom(state, describe(token.address, token))
}

/** Throws erc20/2 to erc20/4, erc20/9, and sdk/5 where the fee cannot be paid. */
export const registerToken = (
  context: MessageContext,
  dependencies: Erc20Dependencies,
  sender: Address,
  address: Address,
): Token => {
  const { state, height } = context
  const contracts = requireContracts(context)
  const params = readParams(state)
  if (!params.enabled || !params.registrationOpen) throw erc20Error('switchedOff', 'registration is switched off')
  if (readToken(state, address) !== undefined) {
    throw erc20Error('known', `${bytesToHex(address)} is registered already`)
  }
  checkContract(state, address, dependencies)
  const contract = new TokenContract(contracts, address, sender, params)
  const measured = contract.measure()
  const defaults = { name: denomOf(address), symbol: DEFAULT_SYMBOL, decimals: 0 }
  const said = { ...defaults, ...contract.describe() }
  // Behind the looks: whoever has gas for it has as much while the contract is asked as it may use by default.
  context.consumeGas(REGISTRATION_GAS, 'registration')
  const token: Token = { address, ...said, depositsEnabled: true, measured, measuredHeight: height }
  saveToken(state, token, dependencies)
  if (params.registrationFee > 0n) {
    const fee = { denom: DENOMINATION, amount: params.registrationFee }
    dependencies.fundCommunityPool(context, sender, [fee])
  }
  context.emit(tokenSet(token))
  return token
}
