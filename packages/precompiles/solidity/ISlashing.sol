// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

import {Dec, PageRequest, PageResponse} from "./Types.sol";

/// How well a validator signs. `validatorAddress` is that of its consensus key; `jailedUntil` in seconds since 1970.
struct SigningInfo {
    address validatorAddress;
    int64 startHeight;
    int64 indexOffset;
    int64 jailedUntil;
    bool tombstoned;
    int64 missedBlocksCounter;
}

/// `downtimeJailDuration` in seconds.
struct SlashingParams {
    int64 signedBlocksWindow;
    Dec minSignedPerWindow;
    int64 downtimeJailDuration;
    Dec slashFractionDoubleSign;
    Dec slashFractionDowntime;
}

interface ISlashing {
    event ValidatorUnjailed(address indexed validator);

    /// The caller's own validator, once its time in jail is over.
    function unjail(address validatorAddress) external returns (bool success);

    function getSigningInfo(address consAddress) external view returns (SigningInfo memory signingInfo);

    function getSigningInfos(
        PageRequest calldata pagination
    ) external view returns (SigningInfo[] memory signingInfos, PageResponse memory pageResponse);

    function getParams() external view returns (SlashingParams memory params);
}

ISlashing constant SLASHING = ISlashing(0x0000000000000000000000000000000000000806);
