// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

/// `booked`: coins that are owed. `measured`: what the contract said that the escrow holds when tokens moved last.
struct Erc20Token {
    string denom;
    string name;
    string symbol;
    uint8 decimals;
    bool depositsEnabled;
    uint256 booked;
    uint256 measured;
}

/// Tokens of contracts as coins of the bank, which the order book trades. What is done is done for msg.sender alone.
///
/// A token that is being moved cannot call back into `deposit` or `withdraw`: these revert.
interface IErc20Converter {
    event Deposit(
        address indexed token,
        address indexed sender,
        address indexed receiver,
        uint256 amount,
        uint256 credited
    );
    event Withdraw(address indexed token, address indexed sender, address indexed receiver, uint256 amount);

    /// Takes tokens of the caller, who has approved this address before. The receiver gets as many coins as the escrow got tokens: of a
    /// token that takes a fee these are fewer than `amount`.
    function deposit(address token, uint256 amount, address receiver) external returns (uint256 credited);

    /// Destroys coins of the caller, and gives the receiver tokens out of the escrow.
    function withdraw(address token, uint256 amount, address receiver) external returns (bool success);

    /// Makes a contract known. The fee is paid by the caller, in the native coin.
    function registerToken(address token) external returns (string memory denom);

    /// Puts an ERC-20 contract where a native denomination is shown.
    function registerView(string calldata denom) external returns (address view_);

    /// Reverts where it is not registered.
    function getToken(address token) external view returns (Erc20Token memory info);

    /// The name of its coins, registered or not.
    function denomOf(address token) external view returns (string memory denom);

    /// Where a native denomination is shown, or would be.
    function viewOf(string calldata denom) external view returns (address view_, bool registered);

    /// Coins of a token that an account holds in the bank.
    function coinsOf(address token, address account) external view returns (uint256 amount);
}

IErc20Converter constant ERC20_CONVERTER = IErc20Converter(0x0000000000000000000000000000000000000901);
