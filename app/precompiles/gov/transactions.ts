/** What a caller can do in governance. */
import { MAX_TRANSACTION_BYTES } from '../../../core/limits.ts'
import { type gov, govTx } from '../../../proto/index.ts'
import { address, array, bool, bytes, string, uint64, uint8 } from '../abi/types.ts'
import { refuseCall } from '../errors.ts'
import { JSON_BYTE_GAS } from '../gas.ts'
import { transaction } from '../precompile.ts'
import { coin, fromCoins, requireAddress, toCoin } from '../shapes.ts'
import { cancelProposalEvent, depositEvent, submitProposalEvent, voteEvent, voteWeightedEvent } from './events.ts'
import { parseProposal } from './proposal-json.ts'
import { weightedOption } from './shapes.ts'

const { method } = govTx.Msg
const INVALID_DEPOSIT = 'invalid deposits deposit arg '

/** Unknown options are the module's to refuse. */
const toOption = (option: bigint): gov.VoteOption => Number(option) as gov.VoteOption

const submitProposal = transaction(
  'submitProposal',
  { proposer: address, jsonProposal: bytes, deposit: array(coin) },
  { proposalId: uint64 },
  (scope, { proposer, jsonProposal, deposit: coins }) => {
    const from = requireAddress(proposer, 'proposer')
    if (jsonProposal.length === 0) throw refuseCall('invalid proposal json jsonBlob arg ')
    const initialDeposit = fromCoins(coins, INVALID_DEPOSIT)
    scope.requireCaller(proposer)
    if (jsonProposal.length > MAX_TRANSACTION_BYTES) {
      throw refuseCall(
        `the proposal json has ${jsonProposal.length} bytes, at most ${MAX_TRANSACTION_BYTES} are allowed`,
      )
    }
    scope.charge(JSON_BYTE_GAS * BigInt(jsonProposal.length), 'proposal json')
    const proposal = parseProposal(jsonProposal)
    const { proposalId } = scope.message(method.submitProposal, { ...proposal, proposer: from, initialDeposit })
    scope.log(submitProposalEvent, { proposer, proposalId })
    return { proposalId }
  },
)

const deposit = transaction(
  'deposit',
  { depositor: address, proposalId: uint64, amount: array(coin) },
  { success: bool },
  (scope, { depositor, proposalId, amount }) => {
    const from = requireAddress(depositor, 'depositor')
    const coins = fromCoins(amount, INVALID_DEPOSIT)
    scope.requireCaller(depositor)
    scope.message(method.deposit, { depositor: from, proposalId, amount: coins })
    scope.log(depositEvent, { depositor, proposalId, amount: coins.map(toCoin) })
    return { success: true }
  },
)

const cancelProposal = transaction(
  'cancelProposal',
  { proposer: address, proposalId: uint64 },
  { success: bool },
  (scope, { proposer, proposalId }) => {
    const from = requireAddress(proposer, 'proposer')
    scope.requireCaller(proposer)
    scope.message(method.cancelProposal, { proposer: from, proposalId })
    scope.log(cancelProposalEvent, { proposer, proposalId })
    return { success: true }
  },
)

const vote = transaction(
  'vote',
  { voter: address, proposalId: uint64, option: uint8, metadata: string },
  { success: bool },
  (scope, { voter, proposalId, option, metadata }) => {
    const from = requireAddress(voter, 'voter')
    scope.requireCaller(voter)
    scope.message(method.vote, { voter: from, proposalId, option: toOption(option), metadata })
    scope.log(voteEvent, { voter, proposalId, option })
    return { success: true }
  },
)

const voteWeighted = transaction(
  'voteWeighted',
  { voter: address, proposalId: uint64, options: array(weightedOption), metadata: string },
  { success: bool },
  (scope, { voter, proposalId, options, metadata }) => {
    const from = requireAddress(voter, 'voter')
    scope.requireCaller(voter)
    const weighted = options.map(({ option, weight }) => ({ option: toOption(option), weight }))
    scope.message(method.voteWeighted, { voter: from, proposalId, options: weighted, metadata })
    scope.log(voteWeightedEvent, { voter, proposalId, options })
    return { success: true }
  },
)

export const govTransactions = [submitProposal, deposit, cancelProposal, vote, voteWeighted] as const
