/** A message from buying its gas to paying for it: the state transition of geth around the interpreter's frames. */
import { type Address, contractAddress } from '../../core/address.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { StateWriter } from '../../store/state.ts'
import type { BlockEnvironment, ExecuteOptions, ExecutionResult, Message } from '../engine.ts'
import { OPCODE } from '../opcodes.ts'
import { type AppliedAuthorizations, applyAuthorizations } from '../transition/authorizations.ts'
import { isEmptyAccount, payCoinbase } from '../transition/fees.ts'
import type { PreparedMessage } from '../transition/prepare-message.ts'
import { settleGas } from '../transition/settle.ts'
import { overWeight, startWeight, WEIGHT } from '../weight.ts'
import type { Machine } from './machine.ts'
import { type FrameResult, runFrames } from './run-frames.ts'
import { Tracer } from './tracer.ts'
import { setBytes, WORD } from './words.ts'

const { CREATE, CALL } = OPCODE

const slotWord = new Int32Array(WORD)

/** What is warm from the first instruction on (EIP-2929, 2930, 3651, 7702). Never undone. */
const warmAtStart = (
  machine: Machine,
  block: BlockEnvironment,
  message: Message,
  { authorities }: AppliedAuthorizations,
): void => {
  const { substate } = machine
  substate.warm(substate.accountAt(message.sender))
  substate.warm(substate.accountAt(block.coinbase))
  if (message.to !== undefined) substate.warm(substate.accountAt(message.to))
  for (const { address, storageKeys } of message.accessList) {
    const entry = substate.accountAt(address)
    substate.warm(entry)
    for (const key of storageKeys) {
      setBytes(slotWord, 0, key)
      substate.warmSlot(entry, slotWord, 0)
    }
  }
  for (const authority of authorities) substate.warm(substate.accountAt(authority))
}

/** The outermost call of `to`, or its creation. */
const runOutermost = (
  machine: Machine,
  message: Message,
  to: Address,
  gas: number,
): FrameResult | Promise<FrameResult> => {
  const { request, state, substate } = machine
  const target = substate.accountAt(to)
  if (message.to !== undefined && machine.rules.hardfork !== 'cancun') {
    const { delegate } = machine.codeOf(target, state.account(to))
    if (delegate !== undefined) substate.warm(substate.accountAt(delegate))
  }
  // Its storage is one of the things that a transaction changes anyhow.
  target.isStorageWeighed = true
  request.kind = message.to === undefined ? CREATE : CALL
  request.target = target
  request.gas = gas
  request.valueAnat = message.value
  request.input = message.data
  request.outputOffset = 0
  request.outputSize = 0
  return runFrames(machine)
}

/** Deletes accounts that destroyed themselves (EIP-6780) and those that were touched and are empty (EIP-161). */
export const deleteAccounts = (machine: Machine, state: StateWriter): bigint => {
  const { substate } = machine
  let burntAnat = substate.burntAnat
  for (const { address } of substate.destroyed()) {
    burntAnat += state.account(address)?.balance ?? 0n
    state.setAccount(address, undefined)
  }
  for (const { address } of substate.touched()) {
    const account = state.account(address)
    if (account !== undefined && isEmptyAccount(account)) state.setAccount(address, undefined)
  }
  return burntAnat
}

/** Runs a message that prepareMessage let pass, on a machine that is ready for it. A promise where it gave way. */
export const transition = (
  machine: Machine,
  state: StateWriter,
  block: BlockEnvironment,
  message: Message,
  prepared: PreparedMessage,
  options: ExecuteOptions,
): ExecutionResult | Promise<ExecutionResult> => {
  const { sender, effectiveGasPrice } = prepared
  machine.weightLimit = options.weightLimit ?? Number.POSITIVE_INFINITY
  machine.weigh(startWeight(message))
  state.setAccount(message.sender, {
    ...sender,
    nonce: sender.nonce + 1n,
    balance: sender.balance - message.gasLimit * effectiveGasPrice - prepared.blobFeeAnat,
  })
  const applied = applyAuthorizations(state, block.chainId, message.authorizationList)
  warmAtStart(machine, block, message, applied)
  machine.setTransaction(message.sender, effectiveGasPrice, message.blobVersionedHashes)
  machine.nativePrecompiles = options.nativePrecompiles
  machine.interrupt = options.interrupt
  const { onStep, onAccess, onEnter, onExit, onLog, onSelfDestruct } = options
  const isTraced = (onStep ?? onAccess ?? onEnter ?? onExit ?? onLog ?? onSelfDestruct) !== undefined
  machine.tracer = isTraced ? new Tracer(machine, options, applied.refund) : undefined
  machine.pace = isTraced ? undefined : options.pace

  const gasGiven = message.gasLimit - prepared.intrinsicGas
  const to = message.to ?? contractAddress(message.sender, sender.nonce)
  const start = { to, gasGiven, refund: applied.refund }
  const outermost = runOutermost(machine, message, to, Number(gasGiven))
  if (!(outermost instanceof Promise)) return settle(machine, block, message, prepared, options, start, outermost)
  return outermost.then((result) => settle(machine, block, message, prepared, options, start, result))
}

/** How the outermost frame began. */
interface Start {
  readonly to: Address
  readonly gasGiven: bigint
  /** What authorizations alone give back. */
  readonly refund: bigint
}

/** What follows the outermost frame: gas comes back and is paid for, storage is written. */
const settle = (
  machine: Machine,
  block: BlockEnvironment,
  message: Message,
  prepared: PreparedMessage,
  options: ExecuteOptions,
  start: Start,
  { failure, gasLeft, output }: FrameResult,
): ExecutionResult => {
  const { state } = machine
  const { effectiveGasPrice } = prepared
  const { to, gasGiven } = start
  const refund = start.refund + BigInt(machine.substate.refund)
  const gas = settleGas(message, prepared, gasGiven - BigInt(gasLeft), refund)
  const weight = machine.weight + WEIGHT.gas * Number(gas.gasBeforeRefund)
  if (weight > machine.weightLimit) throw overWeight()
  const payer = state.account(message.sender)
  invariant(payer !== undefined, 'the sender vanished during its own transaction')
  const left = (message.gasLimit - gas.gasUsed) * effectiveGasPrice
  if (left > 0n) state.setAccount(message.sender, { ...payer, balance: payer.balance + left })
  payCoinbase(state, block, prepared, options, gas.gasUsed)
  machine.substate.writeStorage(state)
  const burntAnat = deleteAccounts(machine, state)
  return {
    ...gas,
    returnData: failure?.kind === 'other' ? EMPTY_BYTES : output,
    logs: failure === undefined ? machine.substate.logs.slice() : [],
    nativeEvents: failure === undefined ? machine.substate.nativeEvents.slice() : [],
    failure,
    createdAddress: message.to === undefined ? to : undefined,
    effectiveGasPrice,
    burntAnat,
    weight,
  }
}
