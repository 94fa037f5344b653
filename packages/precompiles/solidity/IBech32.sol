// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

/// Addresses of Ethereum as bech32 and back.
interface IBech32 {
    /// `prefix` such as "nat" or "natvaloper", in lower case.
    function hexToBech32(address addr, string memory prefix) external returns (string memory bech32Address);

    /// Refuses addresses that have not twenty bytes.
    function bech32ToHex(string memory bech32Address) external returns (address addr);
}

IBech32 constant BECH32 = IBech32(0x0000000000000000000000000000000000000400);
