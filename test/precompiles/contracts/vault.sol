// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

import {BANK} from "@nat-chain/precompiles/solidity/IBank.sol";
import {NATIVE_TOKEN} from "./native-token.sol";
import {DISTRIBUTION} from "@nat-chain/precompiles/solidity/IDistribution.sol";
import {STAKING} from "@nat-chain/precompiles/solidity/IStaking.sol";
import {Coin} from "@nat-chain/precompiles/solidity/Types.sol";

/// Stakes what it holds.
contract Vault {
    uint256 public staked;
    string public reason;

    constructor() payable {}

    function stake(string calldata validator, uint256 amount) public {
        staked += amount;
        require(STAKING.delegate(address(this), validator, amount), "refused");
    }

    /// Delegates and then takes all of it back by a revert.
    function stakeAndRevert(string calldata validator, uint256 amount) external {
        stake(validator, amount);
        revert("changed my mind");
    }

    /// Two inner calls, of which one reverts after it has delegated.
    function stakeTwice(string calldata validator, uint256 amount) external {
        this.stake(validator, amount);
        try this.stakeAndRevert(validator, 2 * amount) {} catch Error(string memory text) {
            reason = text;
        }
    }

    /// What a precompile says when it refuses.
    function stakeForAnother(address other, string calldata validator) external {
        try STAKING.delegate(other, validator, 1) returns (bool) {} catch Error(string memory text) {
            reason = text;
        }
    }

    function delegated(string calldata validator) external view returns (uint256 shares, Coin memory balance) {
        return STAKING.delegation(address(this), validator);
    }

    function claim(string calldata validator) external returns (Coin[] memory) {
        return DISTRIBUTION.withdrawDelegatorRewards(address(this), validator);
    }

    function nativeSupply() external view returns (uint256) {
        return BANK.supplyOf(NATIVE_TOKEN);
    }
}
