// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

import {Coin, Dec, DecCoin, PageRequest, PageResponse} from "./Types.sol";

struct ValidatorDistributionInfo {
    string operatorAddress;
    DecCoin[] selfBondRewards;
    DecCoin[] commission;
}

struct ValidatorSlashEvent {
    uint64 validatorPeriod;
    Dec fraction;
}

struct DelegationDelegatorReward {
    string validatorAddress;
    DecCoin[] reward;
}

/// Rewards and the community pool. Validators are named by `natvaloper1...`. Amounts of events are of the bond
/// denomination where they name none.
interface IDistribution {
    event ClaimRewards(address indexed delegatorAddress, uint256 amount);
    event SetWithdrawerAddress(address indexed caller, string withdrawerAddress);
    event WithdrawDelegatorReward(address indexed delegatorAddress, address indexed validatorAddress, uint256 amount);
    event WithdrawValidatorCommission(string indexed validatorAddress, uint256 commission);
    event FundCommunityPool(address indexed depositor, string denom, uint256 amount);
    event DepositValidatorRewardsPool(
        address indexed depositor,
        address indexed validatorAddress,
        string denom,
        uint256 amount
    );

    /// Claims from up to `maxRetrieve` validators, which may not be above the maximum of active ones. Each costs as much
    /// as one withdrawal.
    function claimRewards(address delegatorAddress, uint32 maxRetrieve) external returns (bool success);

    /// `withdrawerAddress` as bech32 or in hexadecimal.
    function setWithdrawAddress(
        address delegatorAddress,
        string memory withdrawerAddress
    ) external returns (bool success);

    function withdrawDelegatorRewards(
        address delegatorAddress,
        string memory validatorAddress
    ) external returns (Coin[] memory amount);

    /// The caller must be the operator.
    function withdrawValidatorCommission(string memory validatorAddress) external returns (Coin[] memory amount);

    function fundCommunityPool(address depositor, Coin[] memory amount) external returns (bool success);

    function depositValidatorRewardsPool(
        address depositor,
        string memory validatorAddress,
        Coin[] memory amount
    ) external returns (bool success);

    function validatorDistributionInfo(
        string memory validatorAddress
    ) external view returns (ValidatorDistributionInfo memory distributionInfo);

    function validatorOutstandingRewards(
        string memory validatorAddress
    ) external view returns (DecCoin[] memory rewards);

    function validatorCommission(string memory validatorAddress) external view returns (DecCoin[] memory commission);

    function validatorSlashes(
        string memory validatorAddress,
        uint64 startingHeight,
        uint64 endingHeight,
        PageRequest calldata pageRequest
    ) external view returns (ValidatorSlashEvent[] memory slashes, PageResponse memory pageResponse);

    function delegationRewards(
        address delegatorAddress,
        string memory validatorAddress
    ) external view returns (DecCoin[] memory rewards);

    function delegationTotalRewards(
        address delegatorAddress
    ) external view returns (DelegationDelegatorReward[] memory rewards, DecCoin[] memory total);

    function delegatorValidators(address delegatorAddress) external view returns (string[] memory validators);

    function delegatorWithdrawAddress(address delegatorAddress) external view returns (string memory withdrawAddress);

    function communityPool() external view returns (DecCoin[] memory coins);
}

IDistribution constant DISTRIBUTION = IDistribution(0x0000000000000000000000000000000000000801);
