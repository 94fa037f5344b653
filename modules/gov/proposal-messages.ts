/** The messages that a proposal carries out when it passes: each signed by governance alone. */
import { encodeBech32 } from '../../core/bech32.ts'
import { equalBytes } from '../../core/bytes.ts'
import { CodedError, isFault } from '../../core/errors.ts'
import { govBetaTx, govTx } from '../../proto/index.ts'
import type { Event, MessageContext, ModuleContext } from '../module.ts'
import { sdkError } from '../sdk-errors.ts'
import { formatCoins } from './coins.ts'
import type { GovDependencies, PackedMessage, PreparedMessage } from './deps.ts'
import { govError } from './errors.ts'
import { readDeposited } from './keeper/proposals.ts'
import { GOV_ADDRESS } from './keys.ts'
import { GAS_PER_PROPOSAL, MAX_FAILED_REASON, MAX_PROPOSAL_MESSAGES } from './limits.ts'

/** A proposal within a proposal has no depth that a bound could count: none is taken. */
const NESTING = new Set<string>([
  `/${govTx.MsgSubmitProposalSchema.typeName}`,
  `/${govBetaTx.MsgSubmitProposalSchema.typeName}`,
])

const isFailure = (error: unknown): error is CodedError => error instanceof CodedError && !isFault(error)

const checkContent = (prepared: PreparedMessage): void => {
  try {
    prepared.checkStateless()
  } catch (error) {
    // A wrong authority is the same fault as a wrong signer, under its own number.
    if (!isFailure(error) || error.codespace === 'gov') throw error
    throw govError('invalidMessage', error.message)
  }
}

/** Decodes and checks one of them, without state. Throws gov/12, gov/13, and what an unknown type gives. */
const prepare = (dependencies: GovDependencies, message: PackedMessage): PreparedMessage => {
  if (NESTING.has(message.typeUrl)) throw govError('invalidMessage', 'a proposal cannot submit another one')
  const prepared = dependencies.prepareMessage(message)
  checkContent(prepared)
  const [signer] = prepared.signers
  if (signer === undefined || prepared.signers.length !== 1) throw govError('invalidSigner')
  if (!equalBytes(signer, GOV_ADDRESS)) throw govError('invalidSigner', encodeBech32(signer))
  return prepared
}

/** Stateless. Throws gov/12 for too many, and what each of them gives. */
export const checkProposalMessages = (dependencies: GovDependencies, messages: readonly PackedMessage[]): void => {
  if (messages.length > MAX_PROPOSAL_MESSAGES) {
    throw govError('invalidMessage', `${messages.length} messages, at most ${MAX_PROPOSAL_MESSAGES} are allowed`)
  }
  for (const message of messages) prepare(dependencies, message)
}

/** The coins of the module's account are deposits first: what a proposal may spend is what lies above them. */
const checkDepositsCovered = ({ ledger }: GovDependencies, { state }: ModuleContext): void => {
  const missing = readDeposited(state).filter(({ denom, amount }) => ledger.balance(state, GOV_ADDRESS, denom) < amount)
  if (missing.length > 0) throw govError('depositsSpent', `deposits are ${formatCoins(missing)}`)
}

class Meter {
  used = 0n

  consume(amount: bigint, what: string): void {
    this.used += amount
    if (this.used <= GAS_PER_PROPOSAL) return
    throw sdkError('outOfGas', `out of gas in location: ${what}; gasWanted: ${GAS_PER_PROPOSAL}, gasUsed: ${this.used}`)
  }
}

export interface ExecutionFailure {
  /** Index of the message that failed. */
  readonly index: number
  readonly reason: string
}

/**
 * All of them or none: what a failure wrote is undone, and its events are not emitted. A fault of the node itself is
 * thrown.
 */
export const executeMessages = (
  dependencies: GovDependencies,
  { state, height, timeNs, chainId, emit }: ModuleContext,
  messages: readonly PackedMessage[],
): { readonly failure: ExecutionFailure | undefined; readonly gas: bigint } => {
  const meter = new Meter()
  const events: Event[] = []
  const keep = (event: Event): void => void events.push(event)
  const context: MessageContext = {
    state,
    height,
    timeNs,
    chainId,
    emit: keep,
    consumeGas: (amount, what) => meter.consume(amount, what),
  }
  let index = 0
  state.checkpoint()
  try {
    for (const [at, message] of messages.entries()) {
      index = at
      prepare(dependencies, message).execute(context)
    }
    checkDepositsCovered(dependencies, context)
    state.commit()
  } catch (error) {
    state.revert()
    if (!isFailure(error)) throw error
    return { failure: { index, reason: error.message.slice(0, MAX_FAILED_REASON).toWellFormed() }, gas: meter.used }
  }
  for (const event of events) emit(event)
  return { failure: undefined, gas: meter.used }
}
