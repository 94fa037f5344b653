/** The member `erc20` of app_state, whose form is protobuf's JSON of nat/erc20/v1/erc20.proto. Nothing of it is needed. */
import { type DescMessage, fromJson, type JsonValue, type MessageShape } from '@bufbuild/protobuf'
import { bytesToKey, concatBytes } from '../../../core/bytes.ts'
import { CodedError, errorText } from '../../../core/errors.ts'
import { failAt, GENESIS_ERRORS, parseArray, parseObject } from '../../../core/parse.ts'
import { erc20 } from '../../../proto/index.ts'
import { denomOf } from '../denom.ts'
import { parseNumber, parseParams, parseToken } from '../forms.ts'
import { type Allowance, type Token, viewAddress } from '../keeper/index.ts'
import { MAX_DECIMALS, MOST, plainText } from '../metadata.ts'
import { DEFAULT_PARAMS, type Erc20Params } from '../params.ts'
import { viewFault } from '../view.ts'

/** Most entries of each list: strangers add to them for a fee. */
const MAX_ENTRIES = 10_000_000

export interface GenesisToken extends Token {
  /** Must be the supply of its denomination. */
  readonly booked: bigint
}

export interface Erc20Genesis {
  readonly params: Erc20Params
  readonly tokens: readonly GenesisToken[]
  /** Denominations. */
  readonly views: readonly string[]
  readonly allowances: readonly Allowance[]
}

/** Throws genesis/1 with the member at fault, whatever `parse` throws. */
const located = <T>(path: string, parse: () => T): T => {
  try {
    return parse()
  } catch (error) {
    if (error instanceof CodedError && error.codespace === GENESIS_ERRORS.codespace) throw error
    return failAt(path, errorText(error))
  }
}

const parseList = <Desc extends DescMessage, Item>(
  value: unknown,
  path: string,
  schema: Desc,
  parse: (message: MessageShape<Desc>) => Item,
  keyOf: (item: Item) => string,
): readonly Item[] => {
  const seen = new Set<string>()
  return parseArray(value, path, MAX_ENTRIES).map((entry, index) => {
    const at = `${path}[${index}]`
    const item = located(at, () => parse(fromJson(schema, entry as JsonValue)))
    const key = keyOf(item)
    if (seen.has(key)) failAt(at, 'stands in the list twice')
    seen.add(key)
    return item
  })
}

const checkText = (text: string, field: keyof typeof MOST): string =>
  text !== '' && plainText(text, MOST[field]) === text ? text : failAt(field, 'must be short printable ASCII')

const parseGenesisToken = (form: erc20.Token): GenesisToken => {
  const address = parseToken(form.address)
  const { decimals, depositsEnabled } = form
  if (form.denom !== denomOf(address)) failAt('denom', `must be ${denomOf(address)}`)
  if (decimals > MAX_DECIMALS) failAt('decimals', `must not be above ${MAX_DECIMALS}`)
  const [booked, measured] = [parseNumber(form.booked, 'booked'), parseNumber(form.measured, 'measured')]
  if (booked > measured) failAt('booked', `is ${booked}, but only ${measured} were measured`)
  return {
    address,
    name: checkText(form.name, 'name'),
    symbol: checkText(form.symbol, 'symbol'),
    decimals,
    depositsEnabled,
    measured,
    measuredHeight: Number(form.measuredHeight),
    booked,
  }
}

const parseView = ({ denom, address }: erc20.View): string => {
  const fault = viewFault(denom)
  if (fault !== undefined) return failAt('denom', fault)
  const wanted = bytesToKey(viewAddress(denom))
  if (address !== '' && bytesToKey(parseToken(address)) !== wanted) failAt('address', 'is not that of the denomination')
  return denom
}

const parseAllowance = ({ denom, owner, spender, amount: text }: erc20.Allowance): Allowance => {
  const amount = parseNumber(text, 'amount')
  if (amount === 0n) failAt('amount', 'must be above zero')
  return { view: viewAddress(denom), owner: parseToken(owner), spender: parseToken(spender), amount }
}

/** Throws genesis/1. */
export const parseErc20Genesis = (genesis: unknown, path = 'app_state.erc20'): Erc20Genesis => {
  const object = parseObject(genesis ?? {}, path, ['params', 'tokens', 'views', 'allowances'])
  const params = object['params']
  const views = parseList(object['views'], `${path}.views`, erc20.ViewSchema, parseView, (denom) => denom)
  const known = new Set(views.map((denom) => bytesToKey(viewAddress(denom))))
  return {
    params:
      params === undefined
        ? DEFAULT_PARAMS
        : located(`${path}.params`, () => parseParams(fromJson(erc20.ParamsSchema, params as JsonValue))),
    tokens: parseList(object['tokens'], `${path}.tokens`, erc20.TokenSchema, parseGenesisToken, ({ address }) =>
      bytesToKey(address),
    ),
    views,
    allowances: parseList(
      object['allowances'],
      `${path}.allowances`,
      erc20.AllowanceSchema,
      (form) => {
        const allowance = parseAllowance(form)
        return known.has(bytesToKey(allowance.view)) ? allowance : failAt('denom', 'has no view')
      },
      ({ view, owner, spender }) => bytesToKey(concatBytes(view, owner, spender)),
    ),
  }
}
