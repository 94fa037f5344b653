/**
 * 0x902: what the contracts of views send their calls on to (view-code.ts). Behind the selector of ERC-20 stands who has called the
 * view, then the arguments. The view that calls says which denomination is meant; all others are refused.
 */
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { equalBytes, utf8ToBytes } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import { approve as setAllowance, readAllowance, readView, spendAllowance } from '../../modules/erc20/index.ts'
import { bankQuery, bankTx } from '../../proto/index.ts'
import { defineEvent } from './abi/event.ts'
import { address, bool, type Fields, string, tuple, uint256, uint8, type Values } from './abi/types.ts'
import { refuseCall } from './errors.ts'
import { definePrecompile, type Method, query, transaction } from './precompile.ts'
import type { Scope } from './scope.ts'
import { isZeroAddress } from './shapes.ts'
import { VIEW_NUMBER } from './view-code.ts'

const transferEvent = defineEvent('Transfer', { from: address, to: address }, { value: uint256 })
const approvalEvent = defineEvent('Approval', { owner: address, spender: address }, { value: uint256 })

const CALLER = { caller: address }

/** Who has called the view, and what of the bank it shows. */
interface ViewCall {
  readonly caller: Address
  readonly view: Address
  readonly denom: string
}

/** Throws precompile/1. */
const requireView = (scope: Scope, caller: Address): ViewCall => {
  const view = scope.caller
  const denom = scope.read((state) => readView(state, view))
  if (denom === undefined) throw refuseCall('only contracts of views call this')
  return { caller, view, denom }
}

/** A method of ERC-20: its selector is that of the standard, whose arguments stand behind the caller. */
const standard = <Inputs extends Fields, Outputs extends Fields>(
  define: typeof query,
  name: string,
  inputs: Inputs,
  outputs: Outputs,
  run: (scope: Scope, call: ViewCall, values: Values<Inputs>) => Values<Outputs>,
): Method => {
  const all: Fields = { ...CALLER, ...inputs }
  const method = define(name, all, outputs, (scope, values) =>
    // The fields are those of `CALLER` and `Inputs`, each read by its own type.
    run(scope, requireView(scope, values['caller'] as Address), values as Values<Inputs>),
  )
  const inputsShown = method.json.inputs.slice(1)
  return {
    ...method,
    json: { ...method.json, inputs: inputsShown },
    selector: keccak256(utf8ToBytes(`${name}${tuple(inputs).canonical}`)).slice(0, 4),
  }
}

const metadataOf = (scope: Scope, denom: string) =>
  scope.find(bankQuery.Query.method.denomMetadata, { denom })?.metadata

const named = (field: 'name' | 'symbol'): Method =>
  standard(query, field, {}, { text: string }, (scope, { denom }) => ({
    text: metadataOf(scope, denom)?.[field] ?? denom,
  }))

const MOST_DECIMALS = 255

/** The decimals of the unit that is displayed; 0 for a denomination that nobody has described. */
const decimals = standard(query, 'decimals', {}, { places: uint8 }, (scope, { denom }) => {
  const metadata = metadataOf(scope, denom)
  const exponent = metadata?.denomUnits.find((unit) => unit.denom === metadata.display)?.exponent ?? 0
  return { places: BigInt(exponent > MOST_DECIMALS ? 0 : exponent) }
})

const totalSupply = standard(query, 'totalSupply', {}, { amount: uint256 }, (scope, { denom }) => ({
  amount: BigInt(scope.query(bankQuery.Query.method.supplyOf, { denom }).amount?.amount ?? '0'),
}))

const balanceOf = standard(
  query,
  'balanceOf',
  { account: address },
  { amount: uint256 },
  (scope, { denom }, values) => {
    const { balance } = scope.query(bankQuery.Query.method.balance, { address: encodeBech32(values.account), denom })
    return { amount: BigInt(balance?.amount ?? '0') }
  },
)

const allowance = standard(
  query,
  'allowance',
  { owner: address, spender: address },
  { amount: uint256 },
  (scope, { view }, { owner, spender }) => ({
    amount: scope.read((state) => readAllowance(state, view, owner, spender)),
  }),
)

const approve = standard(
  transaction,
  'approve',
  { spender: address, value: uint256 },
  { success: bool },
  (scope, { view, caller: owner }, { spender, value }) => {
    if (isZeroAddress(spender)) throw refuseCall('ERC20: approve to the zero address')
    scope.act((context) => setAllowance(context, view, owner, spender, value))
    scope.logOf(view, approvalEvent, { owner, spender, value })
    return { success: true }
  },
)

/**
 * Moves by the rules of the bank: what may not be sent, and who may not be sent to. Nothing is a transfer, too, as the
 * standard has it.
 */
const move = (scope: Scope, { view, denom }: ViewCall, from: Address, to: Address, value: bigint): void => {
  if (isZeroAddress(to)) throw refuseCall('ERC20: transfer to the zero address')
  // Nobody could move it from there.
  if (equalBytes(to, view)) throw refuseCall('ERC20: transfer to the token itself')
  if (value > 0n) {
    scope.message(bankTx.Msg.method.send, {
      fromAddress: encodeBech32(from),
      toAddress: encodeBech32(to),
      amount: [{ denom, amount: value.toString() }],
    })
  }
  scope.logOf(view, transferEvent, { from, to, value })
}

const transfer = standard(
  transaction,
  'transfer',
  { to: address, value: uint256 },
  { success: bool },
  (scope, call, { to, value }) => {
    move(scope, call, call.caller, to, value)
    return { success: true }
  },
)

const transferFrom = standard(
  transaction,
  'transferFrom',
  { from: address, to: address, value: uint256 },
  { success: bool },
  (scope, call, { from, to, value }) => {
    scope.act((context) => spendAllowance(context, call.view, from, call.caller, value))
    move(scope, call, from, to, value)
    return { success: true }
  },
)

export const erc20ViewPrecompile = definePrecompile(
  'erc20View',
  VIEW_NUMBER,
  [transferEvent, approvalEvent],
  [named('name'), named('symbol'), decimals, totalSupply, balanceOf, allowance, approve, transfer, transferFrom],
)
