/** The read-only gRPC methods of cosmos.auth.v1beta1.Query: accounts as they follow from the state. */
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type AnySchema } from '@bufbuild/protobuf/wkt'
import { type Address, toAddress } from '../../core/address.ts'
import { BECH32_PREFIX } from '../../core/amounts.ts'
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { equalBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { auth, authQuery } from '../../proto/index.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryContext, QueryHandler } from '../module.ts'
import { takePage } from '../pages.ts'
import { queryRefusal } from '../sdk-errors.ts'
import type { AuthDependencies, ModuleAccountInfo } from './deps.ts'
import { readAuthParameters, readPublicKey } from './keeper.ts'

/** Accounts that are looked at for one with a number: about two seconds of a worker. */
const MAX_SEARCHED = 1_000_000

type AnyInit = MessageInitShape<typeof AnySchema>

const parse = (text: string): Address => {
  if (text === '') throw queryRefusal('invalidArgument', 'Address cannot be empty')
  try {
    return parseAccountAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', error.message)
  }
}

/** Over abci_query CosmJS tells a missing account from a fault by what is made of this there. */
const notFound = (address: Address): CodedError =>
  queryRefusal('notFound', `account ${encodeBech32(address)} not found`)

class Accounts {
  readonly #dependencies: AuthDependencies

  constructor(dependencies: AuthDependencies) {
    this.#dependencies = dependencies
  }

  base({ state }: QueryContext, address: Address): auth.BaseAccount {
    const key = readPublicKey(state, address)
    return create(auth.BaseAccountSchema, {
      address: encodeBech32(address),
      ...(key === undefined ? {} : { pubKey: key }),
      accountNumber: this.#dependencies.accountNumber(address),
      // What keeps the account of a module from being deleted is no sequence: it never signs.
      sequence: this.#owner(address) === undefined ? (state.account(address)?.nonce ?? 0n) : 0n,
    })
  }

  module(context: QueryContext, { name, address, permissions }: ModuleAccountInfo): AnyInit {
    const message = create(auth.ModuleAccountSchema, {
      baseAccount: this.base(context, address),
      name,
      permissions: [...permissions],
    })
    return { typeUrl: `/${auth.ModuleAccountSchema.typeName}`, value: toBinary(auth.ModuleAccountSchema, message) }
  }

  any(context: QueryContext, address: Address): AnyInit {
    const owner = this.#owner(address)
    if (owner !== undefined) return this.module(context, owner)
    const value = toBinary(auth.BaseAccountSchema, this.base(context, address))
    return { typeUrl: `/${auth.BaseAccountSchema.typeName}`, value }
  }

  #owner(address: Address): ModuleAccountInfo | undefined {
    return this.#dependencies.moduleAccounts.find((each) => equalBytes(each.address, address))
  }

  /** Numbers follow from addresses, and not the other way: all are looked at. Throws grpc/3 and grpc/5. */
  byNumber(context: QueryContext, number: bigint): Address {
    let searched = 0
    for (const address of this.#dependencies.addresses(context)) {
      if (this.#dependencies.accountNumber(address) === number) return address
      if (++searched === MAX_SEARCHED) {
        throw queryRefusal('invalidArgument', `there are more than ${MAX_SEARCHED} accounts to search`)
      }
    }
    throw queryRefusal('notFound', `account address not found with account number ${number}`)
  }

  /** Throws sdk/22. */
  require({ state }: QueryContext, text: string): Address {
    const address = parse(text)
    if (state.account(address) === undefined) throw notFound(address)
    return address
  }
}

export const authQueries = (dependencies: AuthDependencies): readonly QueryHandler[] => {
  const { method } = authQuery.Query
  const accounts = new Accounts(dependencies)
  return [
    handleQuery(method.accounts, (context, request) => {
      const { items, pagination } = takePage(
        request.pagination,
        (start) => dependencies.addresses(context, start),
        (address) => address,
      )
      return { accounts: items.map((address) => accounts.any(context, address)), pagination }
    }),
    handleQuery(method.account, (context, { address }) => ({
      account: accounts.any(context, accounts.require(context, address)),
    })),
    handleQuery(
      method.accountAddressByID,
      (context, { id, accountId }) => ({
        accountAddress: encodeBech32(accounts.byNumber(context, accountId === 0n ? id : accountId)),
      }),
      // It is looked for among all accounts.
      { isHeavy: true },
    ),
    handleQuery(method.params, ({ state }) => ({ params: readAuthParameters(state) })),
    handleQuery(method.moduleAccounts, (context) => ({
      accounts: dependencies.moduleAccounts.map((info) => accounts.module(context, info)),
    })),
    handleQuery(method.moduleAccountByName, (context, { name }) => {
      const info = dependencies.moduleAccounts.find((each) => each.name === name)
      if (info === undefined) throw queryRefusal('notFound', `account ${name.slice(0, 128)} not found`)
      return { account: accounts.module(context, info) }
    }),
    handleQuery(method.bech32Prefix, () => ({ bech32Prefix: BECH32_PREFIX })),
    handleQuery(method.addressBytesToString, (_, { addressBytes }) => {
      if (addressBytes.length === 0) throw queryRefusal('invalidArgument', 'empty address bytes is not allowed')
      try {
        return { addressString: encodeBech32(toAddress(addressBytes)) }
      } catch (error) {
        if (!(error instanceof CodedError)) throw error
        throw queryRefusal('invalidArgument', error.message)
      }
    }),
    handleQuery(method.addressStringToBytes, (_, { addressString }) => {
      if (addressString === '') throw queryRefusal('invalidArgument', 'empty address string is not allowed')
      return { addressBytes: parse(addressString) }
    }),
    handleQuery(method.accountInfo, (context, { address }) => ({
      info: accounts.base(context, accounts.require(context, address)),
    })),
  ]
}
