/** Parameters, deposits and withdrawals as messages, queries and the genesis write them. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { type Address, ADDRESS_LENGTH } from '../../core/address.ts'
import { MAX_UINT256 } from '../../core/amounts.ts'
import { type BridgeContract, type BridgeEvent, MAX_EVENT_ID, MAX_RECIPIENT_BYTES } from '../../core/bridge-event.ts'
import { BRIDGE_SIGNATURE_BYTES } from '../../core/bridge-signature.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { isZeroBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import type { bridge, bridgeTx } from '../../proto/index.ts'
import type { Coin } from '../ledger.ts'
import { sdkError } from '../sdk-errors.ts'
import { bridgeError } from './errors.ts'
import { type BridgeParams, DEFAULT_PARAMS, paramsFault } from './params.ts'

const HASH_BYTES = 32
const DECIMAL = /^(0|[1-9][0-9]{0,77})$/

type Fail = (message: string) => CodedError
const badParams: Fail = (message) => bridgeError('params', message)
const badDeposit: Fail = (message) => bridgeError('deposit', `deposit: ${message}`)

const badWithdrawal: Fail = (message) => bridgeError('withdrawal', message)
const badKey: Fail = (message) => bridgeError('key', message)

const bytesAt = (name: string, hex: string, fail: Fail): Uint8Array => {
  try {
    return hexToBytes(hex)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw fail(`${name} must be 0x and hexadecimal digits`)
  }
}

const exactly = (name: string, hex: string, length: number, fail: Fail): Uint8Array => {
  const bytes = bytesAt(name, hex, fail)
  if (bytes.length !== length) throw fail(`${name} must be ${length} bytes, not ${bytes.length}`)
  return bytes
}

const decimalAt = (name: string, text: string, fail: Fail): bigint => {
  if (!DECIMAL.test(text)) throw fail(`${name} must be a non-negative integer in decimal digits`)
  return BigInt(text)
}

const parseContract = (chainId: bigint, contract: string): BridgeContract | undefined =>
  contract === '' ? undefined : { chainId, address: exactly('contract', contract, ADDRESS_LENGTH, badParams) }

type WireParams = Pick<
  bridge.Params,
  | 'chainId'
  | 'contract'
  | 'denom'
  | 'delayBlocks'
  | 'delaySeconds'
  | 'paused'
  | 'maxCreditsPerBlock'
  | 'mintLimit'
  | 'withdrawLimit'
  | 'maxWithdrawalsPerBlock'
  | 'setIntervalBlocks'
  | 'minWithdrawal'
>

type WayBackParams = Pick<
  WireParams,
  'withdrawLimit' | 'maxWithdrawalsPerBlock' | 'setIntervalBlocks' | 'minWithdrawal'
>

/** What is left out is the default: who wrote the message may know nothing of the way back. */
const parseWayBack = ({ withdrawLimit, maxWithdrawalsPerBlock, setIntervalBlocks, minWithdrawal }: WayBackParams) => ({
  withdrawLimit:
    withdrawLimit === '' ? DEFAULT_PARAMS.withdrawLimit : decimalAt('withdraw_limit', withdrawLimit, badParams),
  maxWithdrawalsPerBlock: maxWithdrawalsPerBlock === 0 ? DEFAULT_PARAMS.maxWithdrawalsPerBlock : maxWithdrawalsPerBlock,
  setIntervalBlocks: setIntervalBlocks === 0n ? DEFAULT_PARAMS.setIntervalBlocks : Number(setIntervalBlocks),
  minWithdrawal:
    minWithdrawal === '' ? DEFAULT_PARAMS.minWithdrawal : decimalAt('min_withdrawal', minWithdrawal, badParams),
})

/** Throws bridge/1. */
export const parseParams = (wire: WireParams): BridgeParams => {
  const params: BridgeParams = {
    contract: parseContract(wire.chainId, wire.contract),
    denom: wire.denom,
    delayBlocks: Number(wire.delayBlocks),
    delaySeconds: Number(wire.delaySeconds),
    isPaused: wire.paused,
    maxCreditsPerBlock: wire.maxCreditsPerBlock,
    mintLimit: decimalAt('mint_limit', wire.mintLimit, badParams),
    ...parseWayBack(wire),
  }
  const fault =
    params.contract === undefined && wire.chainId !== 0n
      ? 'chain_id must be 0 where there is no contract'
      : paramsFault(params)
  if (fault !== undefined) throw bridgeError('params', fault)
  return params
}

export const printParams = (params: BridgeParams): WireParams => ({
  chainId: params.contract?.chainId ?? 0n,
  contract: params.contract === undefined ? '' : bytesToHex(params.contract.address),
  denom: params.denom,
  delayBlocks: BigInt(params.delayBlocks),
  delaySeconds: BigInt(params.delaySeconds),
  paused: params.isPaused,
  maxCreditsPerBlock: params.maxCreditsPerBlock,
  mintLimit: params.mintLimit.toString(),
  withdrawLimit: params.withdrawLimit.toString(),
  maxWithdrawalsPerBlock: params.maxWithdrawalsPerBlock,
  setIntervalBlocks: BigInt(params.setIntervalBlocks),
  minWithdrawal: params.minWithdrawal.toString(),
})

type WireDeposit = Pick<bridge.Deposit, 'id' | 'amount' | 'from' | 'recipient' | 'dataHash' | 'externalHeight'>

/** Throws bridge/2. */
export const parseDeposit = (wire: WireDeposit): BridgeEvent => {
  const { id, externalHeight } = wire
  if (id > MAX_EVENT_ID) throw badDeposit(`id must be at most ${MAX_EVENT_ID}`)
  const amount = decimalAt('amount', wire.amount, badDeposit)
  if (amount > MAX_UINT256) throw badDeposit('amount must be below 2^256')
  const recipient = bytesAt('recipient', wire.recipient, badDeposit)
  if (recipient.length > MAX_RECIPIENT_BYTES) throw badDeposit(`recipient must be at most ${MAX_RECIPIENT_BYTES} bytes`)
  return {
    id,
    amount,
    from: exactly('from', wire.from, ADDRESS_LENGTH, badDeposit),
    recipient,
    dataHash: exactly('data_hash', wire.dataHash, HASH_BYTES, badDeposit),
    externalHeight,
  }
}

export const printDeposit = (event: BridgeEvent): WireDeposit & MessageInitShape<typeof bridge.DepositSchema> => ({
  id: event.id,
  amount: event.amount.toString(),
  from: bytesToHex(event.from),
  recipient: bytesToHex(event.recipient),
  dataHash: bytesToHex(event.dataHash),
  externalHeight: event.externalHeight,
})

export interface WithdrawalRequest {
  readonly sender: Address
  /** 20 bytes. */
  readonly recipient: Uint8Array
  readonly coin: Coin
}

/** Throws bridge/11, and sdk/7 for a sender that is no account. */
export const parseWithdrawal = ({ sender, recipient, amount }: bridgeTx.MsgWithdraw): WithdrawalRequest => {
  if (amount === undefined) throw badWithdrawal('the amount is missing')
  const coin = { denom: amount.denom, amount: decimalAt('amount', amount.amount, badWithdrawal) }
  if (coin.amount === 0n) throw badWithdrawal('the amount must be above zero')
  const to = exactly('recipient', recipient, ADDRESS_LENGTH, badWithdrawal)
  if (isZeroBytes(to)) throw badWithdrawal('the recipient must not be the zero address')
  return { sender: accountAt('sender', sender), recipient: to, coin }
}

export interface KeyRequest {
  readonly operator: Address
  /** 20 bytes. */
  readonly address: Uint8Array
  /** 65 bytes. */
  readonly signature: Uint8Array
}

/** Throws bridge/17, and sdk/7 for an operator that is no account. */
export const parseKey = ({ operator, address, signature }: bridgeTx.MsgSetBridgeKey): KeyRequest => {
  if (signature.length !== BRIDGE_SIGNATURE_BYTES) {
    throw badKey(`the signature must have ${BRIDGE_SIGNATURE_BYTES} bytes, not ${signature.length}`)
  }
  const key = exactly('address', address, ADDRESS_LENGTH, badKey)
  return { operator: accountAt('operator', operator), address: key, signature }
}

export interface SubmittedSignature {
  /** 32 bytes. */
  readonly digest: Uint8Array
  /** 65 bytes. */
  readonly signature: Uint8Array
}

/** Throws bridge/20, and sdk/7 for a sender that is no account. */
export const parseSignature = ({ sender, digest, signature }: bridgeTx.MsgSubmitSignature): SubmittedSignature => {
  accountAt('sender', sender)
  if (digest.length !== HASH_BYTES || signature.length !== BRIDGE_SIGNATURE_BYTES) throw bridgeError('signature')
  return { digest, signature }
}

/** Throws sdk/7. */
const accountAt = (name: string, text: string): Address => {
  try {
    return parseAccountAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidAddress', `invalid ${name} address: ${error.message}`)
  }
}

/** The contract that a query names; undefined for that of the parameters. Throws bridge/1. */
export const parseNamedContract = (chainId: bigint, contract: string): BridgeContract | undefined =>
  parseContract(chainId, contract)
