// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

import {Coin, PageRequest, PageResponse} from "./Types.sol";

struct Description {
    string moniker;
    string identity;
    string website;
    string securityContact;
    string details;
}

/// The rates in parts of 10^-18: 10 percent is 10^17.
struct CommissionRates {
    uint256 rate;
    uint256 maxRate;
    uint256 maxChangeRate;
}

enum BondStatus {
    Unspecified,
    Unbonded,
    Unbonding,
    Bonded
}

/// `operatorAddress` in hexadecimal, `consensusPubkey` in base64, shares and commission in parts of 10^-18.
struct Validator {
    string operatorAddress;
    string consensusPubkey;
    bool jailed;
    BondStatus status;
    uint256 tokens;
    uint256 delegatorShares;
    Description description;
    int64 unbondingHeight;
    int64 unbondingTime;
    uint256 commission;
    uint256 minSelfDelegation;
}

struct UnbondingDelegationEntry {
    int64 creationHeight;
    int64 completionTime;
    uint256 initialBalance;
    uint256 balance;
    uint64 unbondingId;
    int64 unbondingOnHoldRefCount;
}

struct UnbondingDelegation {
    string delegatorAddress;
    string validatorAddress;
    UnbondingDelegationEntry[] entries;
}

struct RedelegationEntry {
    int64 creationHeight;
    int64 completionTime;
    uint256 initialBalance;
    uint256 sharesDst;
}

struct Redelegation {
    string delegatorAddress;
    string validatorSrcAddress;
    string validatorDstAddress;
    RedelegationEntry[] entries;
}

struct RedelegationEntryResponse {
    RedelegationEntry redelegationEntry;
    uint256 balance;
}

struct RedelegationResponse {
    Redelegation redelegation;
    RedelegationEntryResponse[] entries;
}

/// Amounts are of the bond denomination, times in seconds since 1970. Validators are named by `natvaloper1...` where they
/// are strings. What is not there is answered with zeros.
interface IStaking {
    event CreateValidator(address indexed validatorAddress, uint256 value);
    event EditValidator(address indexed validatorAddress, int256 commissionRate, int256 minSelfDelegation);
    event Delegate(
        address indexed delegatorAddress,
        address indexed validatorAddress,
        uint256 amount,
        uint256 newShares
    );
    event Unbond(
        address indexed delegatorAddress,
        address indexed validatorAddress,
        uint256 amount,
        uint256 completionTime
    );
    event Redelegate(
        address indexed delegatorAddress,
        address indexed validatorSrcAddress,
        address indexed validatorDstAddress,
        uint256 amount,
        uint256 completionTime
    );
    event CancelUnbondingDelegation(
        address indexed delegatorAddress,
        address indexed validatorAddress,
        uint256 amount,
        uint256 creationHeight
    );

    /// Not for contracts. `pubkey` is the ed25519 key of the node in base64.
    function createValidator(
        Description calldata description,
        CommissionRates calldata commissionRates,
        uint256 minSelfDelegation,
        address validatorAddress,
        string memory pubkey,
        uint256 value
    ) external returns (bool success);

    /// Not for contracts. "[do-not-modify]" and -1 leave a field as it is.
    function editValidator(
        Description calldata description,
        address validatorAddress,
        int256 commissionRate,
        int256 minSelfDelegation
    ) external returns (bool success);

    function delegate(
        address delegatorAddress,
        string memory validatorAddress,
        uint256 amount
    ) external returns (bool success);

    function undelegate(
        address delegatorAddress,
        string memory validatorAddress,
        uint256 amount
    ) external returns (int64 completionTime);

    function redelegate(
        address delegatorAddress,
        string memory validatorSrcAddress,
        string memory validatorDstAddress,
        uint256 amount
    ) external returns (int64 completionTime);

    /// `creationHeight` is that of the entry to take back.
    function cancelUnbondingDelegation(
        address delegatorAddress,
        string memory validatorAddress,
        uint256 amount,
        uint256 creationHeight
    ) external returns (bool success);

    function delegation(
        address delegatorAddress,
        string memory validatorAddress
    ) external view returns (uint256 shares, Coin memory balance);

    function unbondingDelegation(
        address delegatorAddress,
        string memory validatorAddress
    ) external view returns (UnbondingDelegation memory unbondingDelegation);

    function validator(address validatorAddress) external view returns (Validator memory validator);

    /// `status` such as "BOND_STATUS_BONDED"; all of them where it is empty.
    function validators(
        string memory status,
        PageRequest calldata pageRequest
    ) external view returns (Validator[] memory validators, PageResponse memory pageResponse);

    function redelegation(
        address delegatorAddress,
        string memory srcValidatorAddress,
        string memory dstValidatorAddress
    ) external view returns (Redelegation memory redelegation);

    /// Lists the redelegations of a delegator or a source: the zero address and empty names are any.
    function redelegations(
        address delegatorAddress,
        string memory srcValidatorAddress,
        string memory dstValidatorAddress,
        PageRequest calldata pageRequest
    ) external view returns (RedelegationResponse[] memory response, PageResponse memory pageResponse);
}

IStaking constant STAKING = IStaking(0x0000000000000000000000000000000000000800);
