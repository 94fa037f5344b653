/** Native transactions of every kind, in the order in which each needs the ones before. */
import { create, toBinary } from '@bufbuild/protobuf'
import { moduleAddress } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import {
  bankTx,
  distributionTx,
  ed25519,
  type gov,
  govBeta,
  govBetaTx,
  govTx,
  slashingTx,
  stakingTx,
} from '../../../proto/index.ts'
import {
  anat,
  DELEGATOR,
  FIRST,
  GOVERNANCE,
  nat,
  NAT,
  NOBODY,
  OTHER,
  SECOND,
  SECOND_KEY,
  STRANGER,
} from './native-accounts.ts'
import { type NativePeer, pack, type Packed } from './native-peer.ts'

const DECIMAL = 10n ** 18n
const percent = (value: bigint): string => ((value * DECIMAL) / 100n).toString()

const send = (to: string, ...amount: readonly { denom: string; amount: string }[]): Packed =>
  pack(bankTx.MsgSendSchema, { fromAddress: OTHER.address, toAddress: to, amount: [...amount] })
const multiSend = (inputs: readonly bigint[], outputs: readonly bigint[]): Packed =>
  pack(bankTx.MsgMultiSendSchema, {
    inputs: inputs.map((sum) => ({ address: OTHER.address, coins: [anat(sum)] })),
    outputs: outputs.map((sum, index) => ({
      address: encodeBech32(new Uint8Array(20).fill(0x61 + index)),
      coins: [anat(sum)],
    })),
  })

const bank = async (peer: NativePeer): Promise<void> => {
  const to = encodeBech32(new Uint8Array(20).fill(0x41))
  await peer.send('send', OTHER, [send(to, nat(5))], { memo: 'a memo' })
  await peer.send('two sends', OTHER, [send(to, anat(1n)), send(to, anat(2n))])
  await peer.send('a second send that fails', OTHER, [send(to, anat(1n)), send(to, nat(100_000_000))])
  await peer.send('a send to a module', OTHER, [send(encodeBech32(moduleAddress('distribution')), anat(1n))])
  await peer.send('a send to oneself', OTHER, [send(OTHER.address, anat(1n))])
  await peer.send('a send of another coin', OTHER, [send(to, { denom: 'stake', amount: '1' })])
  await peer.send('a send of nothing', OTHER, [send(to)])
  await peer.send('a send of zero', OTHER, [send(to, anat(0n))])
  await peer.send('a send of less', OTHER, [send(to, { denom: 'anat', amount: '-1' })])
  await peer.send('a send of a bad denomination', OTHER, [send(to, { denom: '1', amount: '1' })])
  await peer.send('a send of coins out of order', OTHER, [
    send(to, { denom: 'b11', amount: '1' }, { denom: 'a11', amount: '1' }),
  ])
  await peer.send('a send to a bad address', OTHER, [send('nat1nonsense', anat(1n))])
  await peer.send('a send to an operator', OTHER, [send(FIRST.operator, anat(1n))])
  await peer.send('a multi-send', OTHER, [multiSend([3n], [1n, 2n])])
  await peer.send('a multi-send of unequal sums', OTHER, [multiSend([4n], [1n, 2n])])
  await peer.send('a multi-send of no input', OTHER, [multiSend([], [1n])])
  await peer.send('a multi-send of two inputs', OTHER, [multiSend([1n, 2n], [3n])])
  await peer.send('a multi-send of no output', OTHER, [multiSend([1n], [])])
  await peer.send('a multi-send beyond the balance', OTHER, [multiSend([NAT * 10n ** 9n], [NAT * 10n ** 9n])])
  await peer.send('parameters by anybody', OTHER, [
    pack(bankTx.MsgUpdateParamsSchema, { authority: OTHER.address, params: { defaultSendEnabled: false } }),
  ])
  await peer.send('out of gas', OTHER, [send(to, anat(1n)), send(to, anat(1n))], { gas: 90_000n })
}

const delegation = { delegatorAddress: DELEGATOR.address, validatorAddress: FIRST.operator }
const delegate = (amount = nat(4), validatorAddress = FIRST.operator): Packed =>
  pack(stakingTx.MsgDelegateSchema, { ...delegation, validatorAddress, amount })
const undelegate = (amount = nat(1), validatorAddress = FIRST.operator): Packed =>
  pack(stakingTx.MsgUndelegateSchema, { ...delegation, validatorAddress, amount })
const redelegate = (validatorSrcAddress: string, validatorDstAddress: string, amount = nat(1)): Packed =>
  pack(stakingTx.MsgBeginRedelegateSchema, {
    delegatorAddress: DELEGATOR.address,
    validatorSrcAddress,
    validatorDstAddress,
    amount,
  })
const cancelUnbonding = (creationHeight: bigint, amount = nat(1)): Packed =>
  pack(stakingTx.MsgCancelUnbondingDelegationSchema, { ...delegation, amount, creationHeight })

const DESCRIPTION = {
  moniker: 'second',
  identity: '',
  website: 'https://x/?a=<b>&c',
  securityContact: '',
  details: 'tiny',
}
const createValidator = (
  change: {
    key?: Uint8Array
    rate?: bigint
    value?: { denom: string; amount: string }
    moniker?: string
    minimum?: string
    maxRate?: bigint
  } = {},
): Packed =>
  pack(stakingTx.MsgCreateValidatorSchema, {
    description: { ...DESCRIPTION, moniker: change.moniker ?? DESCRIPTION.moniker },
    commission: {
      rate: percent(change.rate ?? 10n),
      maxRate: percent(change.maxRate ?? 20n),
      maxChangeRate: percent(1n),
    },
    minSelfDelegation: change.minimum ?? '1',
    delegatorAddress: '',
    validatorAddress: SECOND.operator,
    pubkey: {
      typeUrl: '/cosmos.crypto.ed25519.PubKey',
      value: toBinary(ed25519.PubKeySchema, create(ed25519.PubKeySchema, { key: change.key ?? SECOND_KEY })),
    },
    value: change.value ?? nat(1),
  })
const editValidator = (change: object, validatorAddress = SECOND.operator): Packed =>
  pack(stakingTx.MsgEditValidatorSchema, {
    description: {
      moniker: '[do-not-modify]',
      identity: '[do-not-modify]',
      website: '[do-not-modify]',
      securityContact: 'a@b',
      details: '[do-not-modify]',
    },
    validatorAddress,
    commissionRate: '',
    minSelfDelegation: '',
    ...change,
  })

const validators = async (peer: NativePeer): Promise<void> => {
  await peer.send('a validator with a low commission', SECOND, [createValidator({ rate: 1n })])
  await peer.send('a validator with a commission above its limit', SECOND, [createValidator({ rate: 30n })])
  await peer.send('a validator with a commission of 200 percent', SECOND, [createValidator({ maxRate: 200n })])
  await peer.send('a validator of another coin', SECOND, [createValidator({ value: { denom: 'stake', amount: '5' } })])
  await peer.send('a validator of nothing', SECOND, [createValidator({ value: anat(0n) })])
  await peer.send('a validator below its minimum', SECOND, [createValidator({ minimum: (2n * NAT).toString() })])
  await peer.send('a validator without a minimum', SECOND, [createValidator({ minimum: '0' })])
  await peer.send('a validator with a long name', SECOND, [createValidator({ moniker: 'm'.repeat(71) })])
  await peer.send('a validator without a name', SECOND, [createValidator({ moniker: '' })])
  await peer.send('a validator with a short key', SECOND, [createValidator({ key: new Uint8Array(5) })])
  await peer.send('a validator', SECOND, [createValidator()])
  await peer.send('a validator again', SECOND, [createValidator()])
  await peer.send('a validator of another with its key', OTHER, [
    pack(stakingTx.MsgCreateValidatorSchema, {
      description: DESCRIPTION,
      commission: { rate: percent(10n), maxRate: percent(20n), maxChangeRate: percent(1n) },
      minSelfDelegation: '1',
      validatorAddress: OTHER.operator,
      pubkey: {
        typeUrl: '/cosmos.crypto.ed25519.PubKey',
        value: toBinary(ed25519.PubKeySchema, create(ed25519.PubKeySchema, { key: SECOND_KEY })),
      },
      value: nat(1),
    }),
  ])
  await peer.send('an edit', SECOND, [editValidator({})])
  await peer.send('an edit of the commission within a day', SECOND, [editValidator({ commissionRate: percent(11n) })])
  await peer.send('an edit of the minimum', SECOND, [editValidator({ minSelfDelegation: '5' })])
  await peer.send('an edit to a lower minimum', SECOND, [editValidator({ minSelfDelegation: '2' })])
  await peer.send('an edit to a minimum above the stake', SECOND, [
    editValidator({ minSelfDelegation: (5n * NAT).toString() }),
  ])
  await peer.send('an edit of what is not there', OTHER, [editValidator({}, OTHER.operator)])
  await peer.send('an edit of the commission in the genesis', FIRST, [
    editValidator({ commissionRate: percent(50n) }, FIRST.operator),
  ])
  await peer.send('an edit to a commission below the least', FIRST, [
    editValidator({ commissionRate: percent(1n) }, FIRST.operator),
  ])
  await peer.send('an edit of another commission', FIRST, [
    editValidator({ commissionRate: percent(11n) }, FIRST.operator),
  ])
  await peer.send('unjail of one that is not jailed', SECOND, [
    pack(slashingTx.MsgUnjailSchema, { validatorAddr: SECOND.operator }),
  ])
  await peer.send('unjail of nobody', OTHER, [pack(slashingTx.MsgUnjailSchema, { validatorAddr: OTHER.operator })])
}

const stakes = async (peer: NativePeer): Promise<void> => {
  await peer.send('a delegation', DELEGATOR, [delegate()])
  await peer.send('a delegation again', DELEGATOR, [delegate(nat(2))])
  await peer.send('a delegation to the second', DELEGATOR, [delegate(nat(1), SECOND.operator)])
  await peer.send('a delegation to nobody', DELEGATOR, [delegate(nat(1), NOBODY)])
  await peer.send('a delegation to a bad address', DELEGATOR, [delegate(nat(1), 'natvaloper1x')])
  await peer.send('a delegation of another coin', DELEGATOR, [delegate({ denom: 'stake', amount: '1' })])
  await peer.send('a delegation of nothing', DELEGATOR, [delegate(anat(0n))])
  await peer.send('a delegation beyond the balance', DELEGATOR, [delegate(nat(900_000_000))])
  const unbonding = await peer.send('an undelegation', DELEGATOR, [undelegate()])
  await peer.send('an undelegation again', DELEGATOR, [undelegate()])
  await peer.send('an undelegation with too many entries', DELEGATOR, [undelegate()])
  await peer.send('an undelegation of too much', DELEGATOR, [undelegate(nat(50))])
  await peer.send('an undelegation of another coin', DELEGATOR, [undelegate({ denom: 'stake', amount: '1' })])
  await peer.send('an undelegation of nothing', DELEGATOR, [undelegate(anat(0n))])
  await peer.send('an undelegation from nobody', DELEGATOR, [undelegate(nat(1), NOBODY)])
  await peer.send('an undelegation of none', OTHER, [
    pack(stakingTx.MsgUndelegateSchema, {
      delegatorAddress: OTHER.address,
      validatorAddress: FIRST.operator,
      amount: nat(1),
    }),
  ])
  await peer.send('a redelegation', DELEGATOR, [redelegate(FIRST.operator, SECOND.operator)])
  await peer.send('a redelegation onwards', DELEGATOR, [redelegate(SECOND.operator, FIRST.operator)])
  await peer.send('a redelegation to the same', DELEGATOR, [redelegate(FIRST.operator, FIRST.operator)])
  await peer.send('a redelegation to nobody', DELEGATOR, [redelegate(FIRST.operator, NOBODY)])
  await peer.send('a redelegation from nobody', DELEGATOR, [redelegate(NOBODY, FIRST.operator)])
  await peer.send('a redelegation of too much', DELEGATOR, [redelegate(FIRST.operator, SECOND.operator, nat(50))])
  const height = BigInt(unbonding?.tx_response.height ?? 0)
  await peer.send('a cancelled undelegation, in part', DELEGATOR, [cancelUnbonding(height, anat(NAT / 2n))])
  await peer.send('a cancelled undelegation of too much', DELEGATOR, [cancelUnbonding(height)])
  await peer.send('a cancelled undelegation of another height', DELEGATOR, [cancelUnbonding(1n)])
  await peer.send('a cancelled undelegation of height 0', DELEGATOR, [cancelUnbonding(0n)])
  await peer.send('a cancelled undelegation of another coin', DELEGATOR, [
    cancelUnbonding(height, { denom: 'stake', amount: '1' }),
  ])
}

const withdraw = (validatorAddress = FIRST.operator, delegatorAddress = DELEGATOR.address): Packed =>
  pack(distributionTx.MsgWithdrawDelegatorRewardSchema, { delegatorAddress, validatorAddress })
const commission = (validatorAddress: string): Packed =>
  pack(distributionTx.MsgWithdrawValidatorCommissionSchema, { validatorAddress })
const setWithdrawAddress = (withdrawAddress: string): Packed =>
  pack(distributionTx.MsgSetWithdrawAddressSchema, { delegatorAddress: DELEGATOR.address, withdrawAddress })
const fundPool = (...amount: readonly { denom: string; amount: string }[]): Packed =>
  pack(distributionTx.MsgFundCommunityPoolSchema, { depositor: OTHER.address, amount: [...amount] })

const rewards = async (peer: NativePeer): Promise<void> => {
  await peer.send('rewards', DELEGATOR, [withdraw()])
  await peer.send('rewards twice at once', DELEGATOR, [withdraw(), withdraw()])
  await peer.send('rewards of none', OTHER, [withdraw(FIRST.operator, OTHER.address)])
  await peer.send('rewards of nobody', DELEGATOR, [withdraw(NOBODY)])
  await peer.send('a commission', FIRST, [commission(FIRST.operator)])
  await peer.send('a commission twice at once', FIRST, [commission(FIRST.operator), commission(FIRST.operator)])
  await peer.send('a commission of nobody', OTHER, [commission(OTHER.operator)])
  await peer.send('another address for rewards', DELEGATOR, [setWithdrawAddress(STRANGER)])
  await peer.send('rewards to another', DELEGATOR, [withdraw()])
  await peer.send('a module as address for rewards', DELEGATOR, [
    setWithdrawAddress(encodeBech32(moduleAddress('distribution'))),
  ])
  await peer.send('a bad address for rewards', DELEGATOR, [setWithdrawAddress('nat1x')])
  await peer.send('coins for the community', OTHER, [fundPool(nat(20))])
  await peer.send('no coins for the community', OTHER, [fundPool()])
  await peer.send('coins for the community that are not there', OTHER, [fundPool(nat(900_000_000))])
  await peer.send('another coin for the community', OTHER, [fundPool({ denom: 'stake', amount: '5' })])
}

const spend = (amount: number): Packed =>
  pack(distributionTx.MsgCommunityPoolSpendSchema, {
    authority: GOVERNANCE,
    recipient: STRANGER,
    amount: [nat(amount)],
  })
const propose = (
  messages: readonly Packed[],
  deposit: readonly { denom: string; amount: string }[],
  change: object = {},
): Packed =>
  pack(govTx.MsgSubmitProposalSchema, {
    messages: messages.map((each) => ({ ...each })),
    initialDeposit: [...deposit],
    proposer: DELEGATOR.address,
    title: 'a title',
    summary: 'a <summary>',
    metadata: 'ipfs://x',
    ...change,
  })
const vote = (proposalId: bigint, option: number, voter = DELEGATOR.address): Packed =>
  pack(govTx.MsgVoteSchema, { proposalId, voter, option: option as gov.VoteOption, metadata: '' })
const weighted = (proposalId: bigint, ...options: readonly (readonly [number, string])[]): Packed =>
  pack(govTx.MsgVoteWeightedSchema, {
    proposalId,
    voter: DELEGATOR.address,
    options: options.map(([option, weight]) => ({ option: option as gov.VoteOption, weight })),
    metadata: 'why',
  })
const deposit = (proposalId: bigint, ...amount: readonly { denom: string; amount: string }[]): Packed =>
  pack(govTx.MsgDepositSchema, { proposalId, depositor: OTHER.address, amount: [...amount] })
const cancel = (proposalId: bigint, proposer: string): Packed =>
  pack(govTx.MsgCancelProposalSchema, { proposalId, proposer })
const TEXT = {
  typeUrl: '/cosmos.gov.v1beta1.TextProposal',
  value: toBinary(
    govBeta.TextProposalSchema,
    create(govBeta.TextProposalSchema, { title: 'Sell & buy', description: 'Zürich "2030"' }),
  ),
}
const proposeText = (sum: number): Packed =>
  pack(govBetaTx.MsgSubmitProposalSchema, { content: TEXT, initialDeposit: [nat(sum)], proposer: DELEGATOR.address })

const refusedProposals = async (peer: NativePeer): Promise<void> => {
  await peer.send('a proposal of nothing', DELEGATOR, [propose([], [nat(1)], { metadata: '' })])
  await peer.send('a proposal without title', DELEGATOR, [propose([spend(1)], [nat(1)], { title: '' })])
  await peer.send('a proposal without summary', DELEGATOR, [propose([spend(1)], [nat(1)], { summary: '' })])
  await peer.send('a proposal with a long summary', DELEGATOR, [
    propose([spend(1)], [nat(1)], { summary: 's'.repeat(10_201) }),
  ])
  await peer.send('a proposal with long metadata', DELEGATOR, [
    propose([spend(1)], [nat(1)], { metadata: 's'.repeat(256) }),
  ])
  await peer.send('a proposal of another signer', DELEGATOR, [
    propose(
      [pack(bankTx.MsgSendSchema, { fromAddress: OTHER.address, toAddress: STRANGER, amount: [nat(1)] })],
      [nat(1)],
    ),
  ])
  await peer.send('a proposal of an unknown message', DELEGATOR, [
    propose([{ typeUrl: '/cosmos.nothing.v1.MsgNothing', value: new Uint8Array(0) }], [nat(1)]),
  ])
  await peer.send('a proposal with a deposit of another coin', DELEGATOR, [
    propose([spend(1)], [{ denom: 'stake', amount: '1' }]),
  ])
  await peer.send('a proposal with a small deposit', DELEGATOR, [propose([spend(1)], [anat(1n)])])
  await peer.send('a proposal with a negative deposit', DELEGATOR, [
    propose([spend(1)], [{ denom: 'anat', amount: '-1' }]),
  ])
}

const openProposals = async (peer: NativePeer): Promise<void> => {
  await peer.send('proposal 1', DELEGATOR, [propose([spend(3)], [nat(1)])])
  await peer.send('a vote before its time', DELEGATOR, [vote(1n, 1)])
  await peer.send('a deposit', OTHER, [deposit(1n, nat(2))])
  await peer.send('a deposit of too little', OTHER, [deposit(1n, anat(1n))])
  await peer.send('a deposit of another coin', OTHER, [deposit(1n, { denom: 'stake', amount: '1' })])
  await peer.send('a deposit of nothing', OTHER, [deposit(1n)])
  await peer.send('a deposit for nothing', OTHER, [deposit(99n, nat(2))])
  await peer.send('proposal 2, that waits for deposits', DELEGATOR, [propose([spend(7)], [nat(2)])])
  await peer.send('proposal 3, to be cancelled', DELEGATOR, [propose([spend(2)], [nat(4)])])
  await peer.send('a proposal cancelled by another', OTHER, [cancel(3n, OTHER.address)])
  await peer.send('a proposal cancelled', DELEGATOR, [cancel(3n, DELEGATOR.address)])
  await peer.send('a proposal cancelled again', DELEGATOR, [cancel(3n, DELEGATOR.address)])
}

const votes = async (peer: NativePeer): Promise<void> => {
  await peer.send('the deposit that starts the vote', OTHER, [deposit(1n, nat(8))])
  await peer.send('proposal 4, that fails, at once in its vote', DELEGATOR, [propose([spend(5_000_000)], [nat(10)])])
  await peer.send('proposal 5, expedited', DELEGATOR, [propose([spend(1)], [nat(50)], { expedited: true })])
  await peer.send('a vote', FIRST, [vote(1n, 1, FIRST.address)])
  await peer.send('a vote of old', DELEGATOR, [
    pack(govBetaTx.MsgVoteSchema, { proposalId: 1n, voter: DELEGATOR.address, option: 3 }),
  ])
  await peer.send('a weighted vote', DELEGATOR, [weighted(1n, [1, '0.7'], [2, '0.3'])])
  await peer.send('votes for the others', FIRST, [vote(4n, 1, FIRST.address), vote(5n, 3, FIRST.address)])
  await peer.notePaths(...VOTING_PATHS)
  await peer.send('a vote of no option', DELEGATOR, [vote(1n, 0)])
  await peer.send('a vote of option 9', DELEGATOR, [vote(1n, 9)])
  await peer.send('weights below one', DELEGATOR, [weighted(1n, [1, '0.7'])])
  await peer.send('weights above one', DELEGATOR, [weighted(1n, [1, '0.7'], [2, '0.7'])])
  await peer.send('an option twice', DELEGATOR, [weighted(1n, [1, '0.5'], [1, '0.5'])])
  await peer.send('a negative weight', DELEGATOR, [weighted(1n, [1, '1.5'], [2, '-0.5'])])
  await peer.send('a weight that is no number', DELEGATOR, [weighted(1n, [1, 'x'])])
  await peer.send('no weights', DELEGATOR, [weighted(1n)])
  await peer.send('a vote on nothing', DELEGATOR, [vote(99n, 1)])
}

const proposal = '/cosmos/gov/v1/proposals/1'
const VOTING_PATHS = [
  proposal,
  `${proposal}/votes`,
  `${proposal}/votes?pagination.limit=1`,
  `${proposal}/tally`,
  `${proposal}/deposits`,
]
  .flatMap((path) => [path, path.replace('/v1/', '/v1beta1/')])
  .concat([
    `${proposal}/votes/${DELEGATOR.address}`,
    `/cosmos/gov/v1beta1/proposals/1/votes/${DELEGATOR.address}`,
    `/cosmos/gov/v1beta1/proposals/1/votes/${FIRST.address}`,
    `${proposal}/deposits/${OTHER.address}`,
    `${proposal}/votes/${OTHER.address}`,
    `${proposal}/votes/nonsense`,
  ])

export const transactions = async (peer: NativePeer): Promise<void> => {
  await refusedProposals(peer)
  await bank(peer)
  await validators(peer)
  await stakes(peer)
  await rewards(peer)
  await openProposals(peer)
  await votes(peer)
}

/** Runs after all else: the tiny validator is jailed for want of a stake of its own; and what evmd does not survive. */
export const last = async (peer: NativePeer): Promise<void> => {
  const own = { delegatorAddress: SECOND.address, validatorAddress: SECOND.operator }
  await peer.send('an undelegation of its own stake', SECOND, [
    pack(stakingTx.MsgUndelegateSchema, { ...own, amount: nat(1) }),
  ])
  await peer.send('unjail without a stake', SECOND, [
    pack(slashingTx.MsgUnjailSchema, { validatorAddr: SECOND.operator }),
  ])
  await peer.send('a text proposal', DELEGATOR, [proposeText(2)])
  await peer.notePaths('/cosmos/gov/v1beta1/proposals/6', '/cosmos/gov/v1/proposals/6')
}
