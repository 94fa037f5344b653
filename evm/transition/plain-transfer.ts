/** Transfers to accounts without code: the same result as through an interpreter, without entering one. */
import type { Address } from '../../core/address.ts'
import { EMPTY_BYTES, equalBytes } from '../../core/bytes.ts'
import { EMPTY_CODE_HASH } from '../../core/hash.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import type { BlockEnvironment, ExecuteOptions, ExecutionOutcome, Message } from '../engine.ts'
import { overWeight, startWeight, WEIGHT } from '../weight.ts'
import { isPrecompile } from '../precompile-addresses.ts'
import { credit, payCoinbase } from './fees.ts'
import type { PreparedMessage } from './prepare-message.ts'

/** The recipient when no code can run: it has none, is no precompile, and no authorization can give it any. */
export const plainRecipient = (
  state: StateReader,
  block: BlockEnvironment,
  message: Message,
  { nativePrecompiles }: Pick<ExecuteOptions, 'nativePrecompiles'>,
): Address | undefined => {
  const { to } = message
  if (to === undefined || message.authorizationList.length > 0 || message.blobVersionedHashes.length > 0) {
    return undefined
  }
  if (isPrecompile(block.hardfork, to)) return undefined
  if (nativePrecompiles?.addresses.some((address) => equalBytes(address, to)) === true) return undefined
  const codeHash = state.account(to)?.codeHash
  return codeHash === undefined || equalBytes(codeHash, EMPTY_CODE_HASH) ? to : undefined
}

/** Executes a plain transfer. It is called after {@link prepareMessage}, which proved that the sender can pay for everything below. */
export const executePlainTransfer = (
  state: StateWriter,
  block: BlockEnvironment,
  message: Message,
  recipient: Address,
  prepared: PreparedMessage,
  options: ExecuteOptions,
): ExecutionOutcome => {
  const { sender, intrinsicGas, floorGas, effectiveGasPrice } = prepared
  const gasUsed = intrinsicGas < floorGas ? floorGas : intrinsicGas
  const weight = startWeight(message) + WEIGHT.gas * Number(gasUsed)
  if (weight > (options.weightLimit ?? Number.POSITIVE_INFINITY)) throw overWeight()
  state.beginTransaction()
  const toSelf = equalBytes(message.sender, recipient)
  const spent = gasUsed * effectiveGasPrice + (toSelf ? 0n : message.value)
  state.setAccount(message.sender, { ...sender, nonce: sender.nonce + 1n, balance: sender.balance - spent })
  if (!toSelf) credit(state, recipient, message.value)
  payCoinbase(state, block, prepared, options, gasUsed)
  return {
    valid: true,
    result: {
      gasUsed,
      gasBeforeRefund: gasUsed,
      returnData: EMPTY_BYTES,
      logs: [],
      nativeEvents: [],
      failure: undefined,
      createdAddress: undefined,
      effectiveGasPrice,
      burntAnat: 0n,
      weight,
    },
  }
}
