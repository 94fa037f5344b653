/**
 * The command `chain` with an application that commits the fault named in the file CHAIN_TEST_FAULT_FILE: a proposer's
 * once, and the file is emptied; the others as long as they stand there. Says so on standard error.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { QueriedApplication } from '../../../query/queried-application.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { CodedError } from '../../../core/errors.ts'
import { ACCEPT_ALL, faultySender, FORGETS, PROPOSER_FAULTS, proposalOf, VOTER_FAULTS } from './faults.ts'
import { alterOrders, ORDER_FAULTS, ORDER_VOTER_FAULTS } from './order-faults.ts'
import { SIGNS_AGAIN, signAgain } from './sign-again.ts'

const file = process.env['CHAIN_TEST_FAULT_FILE'] ?? ''
const named = (): string => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
const say = (name: string, height: number): void => {
  process.stderr.write(`faulty: ${name} at height ${height}\n`)
}

const honest = {
  prepareProposal: QueriedApplication.prototype.prepareProposal,
  processProposal: QueriedApplication.prototype.processProposal,
  extendVote: QueriedApplication.prototype.extendVote,
  verifyVoteExtension: QueriedApplication.prototype.verifyVoteExtension,
  commit: QueriedApplication.prototype.commit,
}
const LIES: typeof ORDER_VOTER_FAULTS = { ...VOTER_FAULTS, ...ORDER_VOTER_FAULTS }
/** Its own faulty blocks it takes for good. */
const proposed = new Set<string>()
const keyOf = (transactions: readonly Uint8Array[]): string => transactions.map(bytesToHex).join()

QueriedApplication.prototype.prepareProposal = async function (request) {
  const name = named()
  const again = name === SIGNS_AGAIN ? signAgain(request, this.parameters?.chainId ?? '') : undefined
  const transactions = await honest.prepareProposal.call(this, again ?? request)
  if (again !== undefined) {
    writeFileSync(file, '')
    say(name, request.height)
  }
  const orderFault = ORDER_FAULTS[name]
  const altered = orderFault && alterOrders(orderFault, transactions)
  if (altered !== undefined) {
    writeFileSync(file, '')
    say(name, request.height)
    proposed.add(keyOf(altered))
    return altered
  }
  const fault = PROPOSER_FAULTS[name]
  if (fault === undefined) return transactions
  writeFileSync(file, '')
  say(name, request.height)
  const parameters = { address: faultySender, block: { tag: 'latest' } } as const
  const nonce = Number(JSON.parse(await this.ask('transactionCount', parameters, this.height)))
  const faulty = await fault.alter(proposalOf(transactions, nonce))
  proposed.add(keyOf(faulty))
  return faulty
}

QueriedApplication.prototype.processProposal = async function (block) {
  const isFair = await honest.processProposal.call(this, block)
  if (isFair || (named() !== ACCEPT_ALL && !proposed.has(keyOf(block.transactions)))) return isFair
  say(ACCEPT_ALL, block.height)
  return true
}

QueriedApplication.prototype.extendVote = function (block) {
  const name = named()
  const extension = LIES[name]?.(() => honest.extendVote.call(this, block))
  if (extension === undefined) return honest.extendVote.call(this, block)
  say(name, this.height + 1)
  return extension
}

QueriedApplication.prototype.verifyVoteExtension = function (request) {
  return LIES[named()] !== undefined || honest.verifyVoteExtension.call(this, request)
}

QueriedApplication.prototype.commit = async function () {
  if (named() !== FORGETS) return honest.commit.call(this)
  writeFileSync(file, '')
  say(FORGETS, this.height + 1)
  throw new CodedError('app', 10, 'Commit without a FinalizeBlock before it')
}

await import('../../../bin/chain.ts')
