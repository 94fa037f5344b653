/** The read-only gRPC methods of nat.erc20.v1.Query. */
import { type Address, checksumAddress } from '../../core/address.ts'
import { bytesToHex } from '../../core/hex.ts'
import { erc20Query } from '../../proto/index.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryContext, QueryHandler } from '../module.ts'
import { takePage } from '../pages.ts'
import { queryRefusal } from '../sdk-errors.ts'
import { addressOfDenom, addressOfText, denomOf } from './denom.ts'
import type { Erc20Dependencies } from './deps.ts'
import { paramsForm, tokenForm } from './forms.ts'
import { readParams, readToken, readTokens, readView, readViews, type Token, viewAddress } from './keeper/index.ts'
import { ERC20_ADDRESS } from './keys.ts'
import { viewFault } from './view.ts'

const { method } = erc20Query.Query

/** The address of a contract or a denomination. Throws grpc/3. */
const parseToken = (text: string): Address => {
  const address = addressOfText(text) ?? addressOfDenom(text)
  if (address !== undefined) return address
  throw queryRefusal('invalidArgument', 'neither a contract nor a denomination erc20/0x...')
}

const viewForm = (address: Address, denom: string) => ({ address: bytesToHex(address), denom })

const viewQueries = (): readonly QueryHandler[] => [
  handleQuery(method.views, ({ state }, request) => {
    const { items, pagination } = takePage(
      request.pagination,
      (start) => readViews(state, start),
      ({ address }) => address,
    )
    return { views: items.map(({ address, denom }) => viewForm(address, denom)), pagination }
  }),
  handleQuery(method.view, ({ state }, { denom }) => {
    const fault = viewFault(denom)
    if (fault !== undefined) throw queryRefusal('invalidArgument', fault)
    const address = viewAddress(denom)
    return { view: viewForm(address, denom), registered: readView(state, address) !== undefined }
  }),
]

export const erc20Queries = ({ ledger }: Pick<Erc20Dependencies, 'ledger'>): readonly QueryHandler[] => {
  const shown = ({ state }: QueryContext, token: Token) =>
    tokenForm(token, ledger.supply(state, denomOf(token.address)))
  return [
    handleQuery(method.params, ({ state }) => ({ params: paramsForm(readParams(state)) })),
    handleQuery(method.tokens, (context, request) => {
      const { items, pagination } = takePage(
        request.pagination,
        (start) => readTokens(context.state, start),
        ({ address }) => address,
      )
      return { tokens: items.map((token) => shown(context, token)), pagination }
    }),
    handleQuery(method.token, (context, request) => {
      const address = parseToken(request.token)
      const token = readToken(context.state, address)
      if (token === undefined) throw queryRefusal('notFound', `the contract ${bytesToHex(address)} is not registered`)
      return { token: shown(context, token) }
    }),
    handleQuery(method.escrow, () => ({ address: checksumAddress(ERC20_ADDRESS) })),
    ...viewQueries(),
  ]
}
