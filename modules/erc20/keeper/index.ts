/** The only code that touches the keys. */
export { readParams, writeParams } from './params.ts'
export {
  isLocked,
  readToken,
  readTokens,
  removeToken,
  setLocked,
  type Token,
  type TokenRecord,
  writeToken,
} from './tokens.ts'
export {
  type Allowance,
  readAllowance,
  readAllowances,
  readView,
  readViews,
  type View,
  viewAddress,
  writeAllowance,
  writeView,
} from './views.ts'
