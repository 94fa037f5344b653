/** Messages of governance: it names and switches tokens, forgets them, and sets the parameters. */
import { bytesToHex } from '../../../core/hex.ts'
import { erc20Tx } from '../../../proto/index.ts'
import { checkAuthority } from '../../authority.ts'
import { handleParsed } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { requireToken } from '../convert.ts'
import { denomOf } from '../denom.ts'
import type { Erc20Dependencies } from '../deps.ts'
import { erc20Error } from '../errors.ts'
import { tokenRemoved, tokenSet } from '../events.ts'
import { parseParams, parseToken } from '../forms.ts'
import { readToken, removeToken, type Token, writeParams } from '../keeper/index.ts'
import { checkContract, saveToken } from '../register.ts'
import { MAX_DECIMALS, MOST, plainText } from '../metadata.ts'

type Settings = Pick<Token, 'address' | 'name' | 'symbol' | 'decimals' | 'depositsEnabled'>

/** Throws sdk/18 for a text that is empty, too long, or has letters that are not shown alike everywhere. */
const checkText = (text: string, field: keyof typeof MOST): string => {
  if (text !== '' && plainText(text, MOST[field]) === text) return text
  throw sdkError('invalidRequest', `${field} must be 1 to ${MOST[field]} printable letters of ASCII`)
}

/** Throws sdk/4, sdk/7 and sdk/18. */
const parseSettings = ({
  authority,
  token,
  name,
  symbol,
  decimals,
  depositsEnabled,
}: erc20Tx.MsgSetToken): Settings => {
  checkAuthority(authority)
  if (decimals > MAX_DECIMALS) throw sdkError('invalidRequest', `decimals must not be above ${MAX_DECIMALS}`)
  return {
    address: parseToken(token),
    name: checkText(name, 'name'),
    symbol: checkText(symbol, 'symbol'),
    decimals,
    depositsEnabled,
  }
}

const createSetToken = (dependencies: Erc20Dependencies): MessageHandler =>
  handleParsed(erc20Tx.Msg.method.setToken, {
    parse: parseSettings,
    execute: ({ state, emit }, settings) => {
      const known = readToken(state, settings.address)
      if (known === undefined) checkContract(state, settings.address, dependencies)
      // No contract is called here: the first deposit measures.
      const token: Token = { ...(known ?? { measured: 0n, measuredHeight: 0 }), ...settings }
      saveToken(state, token, dependencies)
      emit(tokenSet(token))
      return {}
    },
  })

const createRemoveToken = ({ ledger, forgetDenom }: Erc20Dependencies): MessageHandler =>
  handleParsed(erc20Tx.Msg.method.removeToken, {
    parse: ({ authority, token }) => {
      checkAuthority(authority)
      return parseToken(token)
    },
    execute: (context, address) => {
      const { state, emit } = context
      requireToken(context, address)
      const owed = ledger.supply(state, denomOf(address))
      if (owed > 0n) throw erc20Error('inUse', `${owed} of ${bytesToHex(address)} are owed`)
      removeToken(state, address)
      forgetDenom(state, denomOf(address))
      emit(tokenRemoved(address))
      return {}
    },
  })

const UPDATE_PARAMS: MessageHandler = handleParsed(erc20Tx.Msg.method.updateParams, {
  parse: ({ authority, params }) => {
    checkAuthority(authority)
    return parseParams(params)
  },
  execute: ({ state }, params) => {
    writeParams(state, params)
    return {}
  },
})

export const governanceMessages = (dependencies: Erc20Dependencies): readonly MessageHandler[] => [
  createSetToken(dependencies),
  createRemoveToken(dependencies),
  UPDATE_PARAMS,
]
