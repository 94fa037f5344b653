/** The genesis into the state, and back. */
import { create, type DescMessage, type MessageInitShape, toJson } from '@bufbuild/protobuf'
import { bytesToKey } from '../../../core/bytes.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { failAt } from '../../../core/parse.ts'
import { erc20 } from '../../../proto/index.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { denomOf } from '../denom.ts'
import type { Erc20Dependencies } from '../deps.ts'
import { paramsForm, tokenForm } from '../forms.ts'
import {
  readAllowances,
  readParams,
  readTokens,
  readViews,
  writeAllowance,
  writeParams,
  writeToken,
  writeView,
} from '../keeper/index.ts'
import type { Erc20Genesis } from './parse.ts'

/** The bank has its coins already. Throws genesis/1. */
export const initErc20 = (
  state: StateWriter,
  { params, tokens, views, allowances }: Erc20Genesis,
  { ledger, viewCode }: Erc20Dependencies,
): void => {
  writeParams(state, params)
  for (const [index, { booked, ...token }] of tokens.entries()) {
    const supply = ledger.supply(state, denomOf(token.address))
    if (supply !== booked)
      failAt(`app_state.erc20.tokens[${index}].booked`, `is ${booked}, but the supply is ${supply}`)
    writeToken(state, token)
  }
  for (const denom of views) writeView(state, denom, viewCode)
  for (const { view, owner, spender, amount } of allowances) writeAllowance(state, view, owner, spender, amount)
}

const format = <Desc extends DescMessage>(schema: Desc, form: MessageInitShape<Desc>): unknown =>
  toJson(schema, create(schema, form), { useProtoFieldName: true, alwaysEmitImplicit: true })

function* formatTokens(state: StateReader, { ledger }: Pick<Erc20Dependencies, 'ledger'>): Generator<unknown, void> {
  for (const token of readTokens(state)) {
    yield format(erc20.TokenSchema, tokenForm(token, ledger.supply(state, denomOf(token.address))))
  }
}

function* formatAllowances(state: StateReader, denoms: ReadonlyMap<string, string>): Generator<unknown, void> {
  for (const { view, owner, spender, amount } of readAllowances(state)) {
    yield format(erc20.AllowanceSchema, {
      denom: denoms.get(bytesToKey(view)) ?? '',
      owner: bytesToHex(owner),
      spender: bytesToHex(spender),
      amount: amount.toString(),
    })
  }
}

export const exportErc20 = (state: StateReader, dependencies: Pick<Erc20Dependencies, 'ledger'>) => {
  const views = [...readViews(state)]
  return {
    params: format(erc20.ParamsSchema, paramsForm(readParams(state))),
    tokens: formatTokens(state, dependencies),
    views: views.map(({ address, denom }) => format(erc20.ViewSchema, { denom, address: bytesToHex(address) })),
    allowances: formatAllowances(state, new Map(views.map(({ address, denom }) => [bytesToKey(address), denom]))),
  }
}
