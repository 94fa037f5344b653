// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

import {CLOB, ClobOrder, ClobRecord} from "@nat-chain/precompiles/solidity/IClob.sol";

/// Trades what it holds, and asks again from within.
contract Trader {
    string public reason;

    constructor() payable {}

    receive() external payable {}

    function order(uint8 side, uint32 priceTicks, uint64 lots) public pure returns (ClobOrder memory) {
        return ClobOrder(1, side, priceTicks, lots, 1, 0, "", 0, 0, 0, 0, 0);
    }

    function trade(uint8 side, uint32 priceTicks, uint64 lots) public returns (uint32) {
        return CLOB.placeOrder(0, order(side, priceTicks, lots));
    }

    /// Crosses to the best price of the other side, as the last block left it.
    function takeBest(uint8 side, uint64 lots) external returns (uint32) {
        ClobRecord memory record = CLOB.getRecord(1);
        return trade(side, side == 1 ? record.bestAskTicks : record.bestBidTicks, lots);
    }

    function tradeAndRevert(uint8 side, uint32 priceTicks, uint64 lots) external {
        trade(side, priceTicks, lots);
        revert("changed my mind");
    }

    /// Three inner calls of which the second reverts after it has queued: each calls back into this contract.
    function tradeThrice(uint8 side, uint32 priceTicks, uint64 lots) external {
        this.trade(side, priceTicks, lots);
        try this.tradeAndRevert(side, priceTicks, 2 * lots) {} catch Error(string memory text) {
            reason = text;
        }
        this.trade(side, priceTicks, 3 * lots);
    }

    /// Queues until it is refused, and keeps what the book says then.
    function fill() external returns (uint32 count) {
        for (;;) {
            try CLOB.placeOrder(0, order(1, 1, 1)) returns (uint32) {
                count++;
            } catch Error(string memory text) {
                reason = text;
                return count;
            }
        }
    }
}
