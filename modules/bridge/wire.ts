/** Parameters and deposits as messages, queries and the genesis write them. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { ADDRESS_LENGTH } from '../../core/address.ts'
import { MAX_UINT256 } from '../../core/amounts.ts'
import { type BridgeContract, type BridgeEvent, MAX_EVENT_ID, MAX_RECIPIENT_BYTES } from '../../core/bridge-event.ts'
import { CodedError } from '../../core/errors.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import type { bridge } from '../../proto/index.ts'
import { bridgeError } from './errors.ts'
import { type BridgeParams, paramsFault } from './params.ts'

const HASH_BYTES = 32
const DECIMAL = /^(0|[1-9][0-9]{0,77})$/

type Fail = (message: string) => CodedError
const badParams: Fail = (message) => bridgeError('params', message)
const badDeposit: Fail = (message) => bridgeError('deposit', `deposit: ${message}`)

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
  'chainId' | 'contract' | 'denom' | 'delayBlocks' | 'delaySeconds' | 'paused' | 'maxCreditsPerBlock' | 'mintLimit'
>

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
