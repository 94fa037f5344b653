// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

/// `isSigned`: validators have signed for it, and the contract of the external chain may release it.
struct BridgeWithdrawal {
    address sender;
    address recipient;
    uint256 amount;
    string denom;
    uint64 height;
    bool isSigned;
}

/// `externalContract` is zero where nothing is bridged. `withdrawLimit` is that of a day (UTC); 0 where withdrawals are closed.
struct BridgeParams {
    uint64 chainId;
    address externalContract;
    string denom;
    uint256 withdrawLimit;
    bool isPaused;
}

/// The way back over the bridge. What is done is done for msg.sender alone.
interface IBridge {
    event Withdrawal(
        uint32 indexed id,
        address indexed sender,
        address indexed recipient,
        string denom,
        uint256 amount
    );

    /// Burns coins of the caller, in the denomination that is bridged now. The recipient gets as many of the smallest units of the token on the external
    /// chain, once validators have signed and somebody has released them there.
    function withdraw(address recipient, uint256 amount) external returns (uint32 id);

    /// Reverts where there is none.
    function getWithdrawal(uint32 id) external view returns (BridgeWithdrawal memory withdrawal);

    function getParams() external view returns (BridgeParams memory params);
}

IBridge constant BRIDGE = IBridge(0x0000000000000000000000000000000000000903);
