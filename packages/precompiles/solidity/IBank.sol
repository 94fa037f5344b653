// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

/// `contractAddress` stands for a denomination; for the native coin it is 0xEeee...EEeE (ERC-7528).
struct Balance {
    address contractAddress;
    uint256 amount;
}

/// Balances and supplies of native coins. Denominations without an address are left out.
interface IBank {
    function balances(address account) external view returns (Balance[] memory balances);

    function totalSupply() external view returns (Balance[] memory totalSupply);

    /// 0 for an address that stands for no denomination.
    function supplyOf(address erc20Address) external view returns (uint256 totalSupply);
}

IBank constant BANK = IBank(0x0000000000000000000000000000000000000804);
