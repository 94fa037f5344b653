/** 0x804: balances and supplies of native coins, by the addresses that stand for their denominations. */
import type { Address } from '../../core/address.ts'
import { DENOMINATION } from '../../core/amounts.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { equalBytes } from '../../core/bytes.ts'
import { readView, viewAddress } from '../../modules/erc20/index.ts'
import { bankQuery } from '../../proto/index.ts'
import { address, array, tuple, uint256, type ValueOf } from './abi/types.ts'
import { NATIVE_TOKEN } from './native-token.ts'
import { definePrecompile, query } from './precompile.ts'
import type { Scope } from './scope.ts'

/** Coins read at once; a query's gas bounds how often. */
const PAGE = 100n

const balance = tuple({ contractAddress: address, amount: uint256 })

/** The address of NAT and of denominations that a view shows. */
const addressOf = (scope: Scope, denom: string): Address | undefined => {
  if (denom === DENOMINATION) return NATIVE_TOKEN
  const view = viewAddress(denom)
  return scope.read((state) => readView(state, view)) === undefined ? undefined : view
}

/** Denominations without an address are left out, as those without a token pair are in cosmos/evm. */
const toBalances = (
  scope: Scope,
  coins: readonly { readonly denom: string; readonly amount: string }[],
): ValueOf<typeof balance>[] =>
  coins.flatMap(({ denom, amount }) => {
    const contractAddress = addressOf(scope, denom)
    return contractAddress === undefined ? [] : [{ contractAddress, amount: BigInt(amount) }]
  })

const balances = query('balances', { account: address }, { balances: array(balance) }, (scope, { account }) => {
  const all: ValueOf<typeof balance>[] = []
  for (let key: Uint8Array = new Uint8Array(0); ; ) {
    const answer = scope.query(bankQuery.Query.method.allBalances, {
      address: encodeBech32(account),
      pagination: { key, limit: PAGE },
    })
    all.push(...toBalances(scope, answer.balances))
    key = answer.pagination?.nextKey ?? new Uint8Array(0)
    if (key.length === 0) return { balances: all }
  }
})

const totalSupply = query('totalSupply', {}, { totalSupply: array(balance) }, (scope) => {
  const all: ValueOf<typeof balance>[] = []
  for (let key: Uint8Array = new Uint8Array(0); ; ) {
    const answer = scope.query(bankQuery.Query.method.totalSupply, { pagination: { key, limit: PAGE } })
    all.push(...toBalances(scope, answer.supply))
    key = answer.pagination?.nextKey ?? new Uint8Array(0)
    if (key.length === 0) return { totalSupply: all }
  }
})

/** An address that stands for no denomination has a supply of nothing. */
const supplyOf = query('supplyOf', { erc20Address: address }, { totalSupply: uint256 }, (scope, { erc20Address }) => {
  const isNative = equalBytes(erc20Address, NATIVE_TOKEN)
  const denom = isNative ? DENOMINATION : scope.read((state) => readView(state, erc20Address))
  if (denom === undefined) return { totalSupply: 0n }
  const { amount } = scope.query(bankQuery.Query.method.supplyOf, { denom })
  return { totalSupply: BigInt(amount?.amount ?? '0') }
})

export const bankPrecompile = definePrecompile('bank', 0x804, [], [balances, totalSupply, supplyOf])
