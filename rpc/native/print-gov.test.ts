/** Answers of the gov module, of v1 and of v1beta1, as the Cosmos SDK prints them. */
import { describe, expect, test } from 'vitest'
import { bankTx, gov, govBeta, govBetaQuery, govQuery } from '../../proto/index.ts'
import { dec, expectShown, pack, print, time } from './testing/print.ts'

describe('gov', () => {
  const submitTime = time('2022-03-28T11:50:20Z', 819_676_256)
  const depositEndTime = time('2022-03-30T11:50:20Z', 819_676_256)

  test('a proposal of v1 in its deposit period', () => {
    const amount = [{ denom: 'stake', amount: '10' }]
    const send = pack(bankTx.MsgSendSchema, { fromAddress: 'cosmos1..', toAddress: 'cosmos1..', amount })
    expectShown(
      govQuery.QueryProposalResponseSchema,
      {
        proposal: {
          id: 2n,
          messages: [send],
          status: gov.ProposalStatus.DEPOSIT_PERIOD,
          finalTallyResult: { yesCount: '0', abstainCount: '0', noCount: '0', noWithVetoCount: '0' },
          submitTime,
          depositEndTime,
          totalDeposit: amount,
          metadata: 'AQ==',
          title: 'Proposal Title',
          summary: 'Proposal Summary',
          proposer: 'cosmos1..',
        },
      },
      `{
        "proposal": {
          "id": "2",
          "messages": [
            {
              "@type": "/cosmos.bank.v1beta1.MsgSend",
              "from_address": "cosmos1..",
              "to_address": "cosmos1..",
              "amount": [{ "denom": "stake", "amount": "10" }]
            }
          ],
          "status": "PROPOSAL_STATUS_DEPOSIT_PERIOD",
          "final_tally_result": { "yes_count": "0", "abstain_count": "0", "no_count": "0", "no_with_veto_count": "0" },
          "submit_time": "2022-03-28T11:50:20.819676256Z",
          "deposit_end_time": "2022-03-30T11:50:20.819676256Z",
          "total_deposit": [{ "denom": "stake", "amount": "10" }],
          "voting_start_time": null,
          "voting_end_time": null,
          "metadata": "AQ==",
          "title": "Proposal Title",
          "summary": "Proposal Summary",
          "proposer": "cosmos1..",
          "expedited": false,
          "failed_reason": ""
        }
      }`,
    )
  })

  test('the same of v1beta1: times that were not set are those of Go', () => {
    expectShown(
      govBetaQuery.QueryProposalResponseSchema,
      {
        proposal: {
          proposalId: 2n,
          status: govBeta.ProposalStatus.DEPOSIT_PERIOD,
          submitTime,
          depositEndTime,
          totalDeposit: [{ denom: 'stake', amount: '10' }],
        },
      },
      `{
        "proposal": {
          "proposal_id": "2",
          "content": null,
          "status": "PROPOSAL_STATUS_DEPOSIT_PERIOD",
          "final_tally_result": { "yes": "0", "abstain": "0", "no": "0", "no_with_veto": "0" },
          "submit_time": "2022-03-28T11:50:20.819676256Z",
          "deposit_end_time": "2022-03-30T11:50:20.819676256Z",
          "total_deposit": [{ "denom": "stake", "amount": "10" }],
          "voting_start_time": "0001-01-01T00:00:00Z",
          "voting_end_time": "0001-01-01T00:00:00Z"
        }
      }`,
    )
  })

  test('votes: weights of v1 have a point on the wire too, those of v1beta1 have none', () => {
    const { VoteOption } = gov
    expectShown(
      govQuery.QueryVoteResponseSchema,
      {
        vote: {
          proposalId: 1n,
          voter: 'cosmos1..',
          options: [{ option: VoteOption.YES, weight: '1.000000000000000000' }],
        },
      },
      `{
        "vote": {
          "proposal_id": "1",
          "voter": "cosmos1..",
          "options": [{ "option": "VOTE_OPTION_YES", "weight": "1.000000000000000000" }],
          "metadata": ""
        }
      }`,
    )
    const option = govBeta.VoteOption.YES
    expectShown(
      govBetaQuery.QueryVoteResponseSchema,
      { vote: { proposalId: 1n, voter: 'cosmos1..', option, options: [{ option, weight: dec(1n) }] } },
      `{
        "vote": {
          "proposal_id": "1",
          "voter": "cosmos1..",
          "option": "VOTE_OPTION_YES",
          "options": [{ "option": "VOTE_OPTION_YES", "weight": "1.000000000000000000" }]
        }
      }`,
    )
  })

  test('params/voting of v1: the others are null', () => {
    const text = print(govQuery.QueryParamsResponseSchema, { votingParams: { votingPeriod: { seconds: 172800n } } })
    expect(text).toBe(
      '{"voting_params":{"voting_period":"172800s"},"deposit_params":null,"tally_params":null,"params":null}',
    )
  })
})
