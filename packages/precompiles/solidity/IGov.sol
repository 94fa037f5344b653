// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

import {Coin, PageRequest, PageResponse} from "./Types.sol";

/// `option`: 1 yes, 2 abstain, 3 no, 4 no with veto. `weight` is a decimal such as "0.7".
struct WeightedVoteOption {
    uint8 option;
    string weight;
}

struct WeightedVote {
    uint64 proposalId;
    address voter;
    WeightedVoteOption[] options;
    string metadata;
}

struct DepositData {
    uint64 proposalId;
    address depositor;
    Coin[] amount;
}

struct TallyResultData {
    string yes;
    string abstain;
    string no;
    string noWithVeto;
}

/// `messages` are type URLs; `status`: 1 deposit, 2 voting, 3 passed, 4 rejected, 5 failed. Times in seconds since 1970.
struct ProposalData {
    uint64 id;
    string[] messages;
    uint32 status;
    TallyResultData finalTallyResult;
    uint64 submitTime;
    uint64 depositEndTime;
    Coin[] totalDeposit;
    uint64 votingStartTime;
    uint64 votingEndTime;
    string metadata;
    string title;
    string summary;
    address proposer;
}

/// Periods in nanoseconds, ratios as decimals.
struct GovParams {
    int64 votingPeriod;
    Coin[] minDeposit;
    int64 maxDepositPeriod;
    string quorum;
    string threshold;
    string vetoThreshold;
    string minInitialDepositRatio;
    string proposalCancelRatio;
    string proposalCancelDest;
    int64 expeditedVotingPeriod;
    string expeditedThreshold;
    Coin[] expeditedMinDeposit;
    bool burnVoteQuorum;
    bool burnProposalDepositPrevote;
    bool burnVoteVeto;
    string minDepositRatio;
}

interface IGov {
    event SubmitProposal(address indexed proposer, uint64 proposalId);
    event CancelProposal(address indexed proposer, uint64 proposalId);
    event Deposit(address indexed depositor, uint64 proposalId, Coin[] amount);
    event Vote(address indexed voter, uint64 proposalId, uint8 option);
    event VoteWeighted(address indexed voter, uint64 proposalId, WeightedVoteOption[] options);

    /// `jsonProposal` is the JSON that `gov submit-proposal` takes: messages, title, summary, metadata, expedited.
    function submitProposal(
        address proposer,
        bytes calldata jsonProposal,
        Coin[] calldata deposit
    ) external returns (uint64 proposalId);

    function deposit(
        address depositor,
        uint64 proposalId,
        Coin[] calldata amount
    ) external returns (bool success);

    function cancelProposal(address proposer, uint64 proposalId) external returns (bool success);

    function vote(
        address voter,
        uint64 proposalId,
        uint8 option,
        string memory metadata
    ) external returns (bool success);

    function voteWeighted(
        address voter,
        uint64 proposalId,
        WeightedVoteOption[] calldata options,
        string memory metadata
    ) external returns (bool success);

    function getVote(uint64 proposalId, address voter) external view returns (WeightedVote memory vote);

    function getVotes(
        uint64 proposalId,
        PageRequest calldata pagination
    ) external view returns (WeightedVote[] memory votes, PageResponse memory pageResponse);

    function getDeposit(uint64 proposalId, address depositor) external view returns (DepositData memory deposit);

    function getDeposits(
        uint64 proposalId,
        PageRequest calldata pagination
    ) external view returns (DepositData[] memory deposits, PageResponse memory pageResponse);

    function getTallyResult(uint64 proposalId) external view returns (TallyResultData memory tallyResult);

    function getProposal(uint64 proposalId) external view returns (ProposalData memory proposal);

    /// 0 as status, and the zero address as voter or depositor, are any.
    function getProposals(
        uint32 proposalStatus,
        address voter,
        address depositor,
        PageRequest calldata pagination
    ) external view returns (ProposalData[] memory proposals, PageResponse memory pageResponse);

    function getParams() external view returns (GovParams memory params);

    function getConstitution() external view returns (string memory constitution);
}

IGov constant GOV = IGov(0x0000000000000000000000000000000000000805);
