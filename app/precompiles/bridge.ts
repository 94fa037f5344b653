/** 0x903: withdrawals over the bridge, for contracts and wallets. */
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { toAddress } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bridgeQuery, bridgeTx } from '../../proto/index.ts'
import { defineEvent } from './abi/event.ts'
import { address, bool, string, tuple, uint256, uint32, uint64, type ValueOf } from './abi/types.ts'
import { definePrecompile, query, transaction } from './precompile.ts'

const { method } = bridgeQuery.Query

const withdrawalShape = tuple({
  sender: address,
  recipient: address,
  amount: uint256,
  denom: string,
  height: uint64,
  isSigned: bool,
})

const paramsShape = tuple({
  chainId: uint64,
  externalContract: address,
  denom: string,
  withdrawLimit: uint256,
  isPaused: bool,
})

const withdrawalEvent = defineEvent(
  'Withdrawal',
  { id: uint32, sender: address, recipient: address },
  { denom: string, amount: uint256 },
)

/** Burns coins of the caller, in the denomination that is bridged now. */
const withdraw = transaction(
  'withdraw',
  { recipient: address, amount: uint256 },
  { id: uint32 },
  (scope, { recipient, amount }) => {
    const { caller: sender } = scope
    const denom = scope.lookUp(method.params, {}).params?.denom ?? ''
    const { id } = scope.message(bridgeTx.Msg.method.withdraw, {
      sender: encodeBech32(sender),
      recipient: bytesToHex(recipient),
      amount: { denom, amount: amount.toString() },
    })
    scope.log(withdrawalEvent, { id: BigInt(id), sender, recipient, denom, amount })
    return { id: BigInt(id) }
  },
)

const toWithdrawal = ({
  withdrawal,
  signed,
}: bridgeQuery.QueryWithdrawalResponse): ValueOf<typeof withdrawalShape> => ({
  sender: parseAccountAddress(withdrawal?.sender ?? ''),
  recipient: toAddress(hexToBytes(withdrawal?.recipient ?? '')),
  amount: BigInt(withdrawal?.amount ?? 0),
  denom: withdrawal?.denom ?? '',
  height: withdrawal?.height ?? 0n,
  isSigned: signed,
})

const getWithdrawal = query('getWithdrawal', { id: uint32 }, { withdrawal: withdrawalShape }, (scope, { id }) => ({
  withdrawal: toWithdrawal(scope.query(method.withdrawal, { id: Number(id) })),
}))

const getParams = query('getParams', {}, { params: paramsShape }, (scope) => {
  const { params } = scope.query(method.params, {})
  const contract = params?.contract ?? ''
  return {
    params: {
      chainId: params?.chainId ?? 0n,
      externalContract: contract === '' ? new Uint8Array(20) : toAddress(hexToBytes(contract)),
      denom: params?.denom ?? '',
      withdrawLimit: BigInt(params?.withdrawLimit ?? 0),
      isPaused: params?.paused ?? false,
    },
  }
})

export const bridgePrecompile = definePrecompile(
  'bridge',
  0x903,
  [withdrawalEvent],
  [withdraw, getWithdrawal, getParams],
)
