// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

/// An order as in a signed one. `side`: 1 buy, 2 sell. `tif`: 1 good til cancelled, 2 immediate or cancel, 3 fill or kill, 4 post-only.
/// `stp`, which ends where both orders are the caller's: 0 the resting one, 1 this one, 2 both, 3 the lesser amount off both.
/// `clientId`: at most 16 bytes, or none. `expireS`: seconds since 1970, 0 never. `triggerKind`: 0 none, 1 stop, 2 take profit.
/// `maxFills`: resting orders that it meets at most, 0 stands for 20; what it may meet it pays for. `postOnlyMode`: 0 reject, 1 slide.
struct ClobOrder {
    uint32 market;
    uint8 side;
    uint32 priceTicks;
    uint64 qtyLots;
    uint8 tif;
    uint8 stp;
    bytes clientId;
    uint64 expireS;
    uint32 triggerTicks;
    uint8 triggerKind;
    uint32 maxFills;
    uint8 postOnlyMode;
}

/// Notional = ticks x lots x `factor`, in quote; `lotSize` of base is a lot. A buy locks its notional and `highestFeePpm` of it, a
/// sell its base. `status`: 1 active, 2 post-only, 3 cancel-only, 4 halted. `mode`: 1 continuous, 2 one price a block.
struct ClobMarket {
    string baseDenom;
    string quoteDenom;
    uint256 lotSize;
    uint256 factor;
    uint256 minNotional;
    uint32 bandPpm;
    uint32 maxOpenOrders;
    uint256 triggerNotional;
    uint32 highestFeePpm;
    uint8 status;
    uint8 mode;
}

/// What the orders of this block have left of a market: they ran before all calls. A price of 0 is none. `priceMs` is the sum of
/// block price x milliseconds until `sinceMs`, when the block price changed last.
struct ClobRecord {
    uint64 sequence;
    uint32 blockPriceTicks;
    uint256 priceMs;
    uint64 sinceMs;
    uint32 bestBidTicks;
    uint32 bestAskTicks;
    uint32 openOrders;
}

struct ClobOpenOrder {
    address owner;
    uint32 subaccount;
    uint8 side;
    uint8 tif;
    uint32 priceTicks;
    uint64 lots;
    uint64 lotsLeft;
    uint32 lockedPpm;
    bytes clientId;
    uint64 expireS;
    uint32 triggerTicks;
    uint8 triggerKind;
    uint8 stp;
    uint32 maxFills;
    uint8 postOnlyMode;
}

/// The order book. What a call asks runs in the next block, behind the orders that validators attested and in the order of the
/// calls, for msg.sender alone and with what it owns then. A call that returns is no promise: what is asked may be refused there.
///
/// There are no EVM events. Native ones tell: order_queued with the transaction; order_placed, fill, order_removed and
/// order_rejected (`action` is the place that the call returned, `code` is of docs/errors.md) with the next block.
interface IClob {
    /// Returns its place among what this block queues, from 0. Reverts where the order is malformed, the market does not exist, or
    /// the queue of the block is full.
    function placeOrder(uint32 subaccount, ClobOrder calldata order) external returns (uint32 place);

    /// The order goes and the other one comes, or nothing happens; `order.market` is that of both. By its number, of any subaccount. With
    /// `keepPriority` an order of the same subaccount, side, price and trigger with no more lots keeps its number and its place.
    function replaceOrder(
        uint32 subaccount,
        uint64 orderSeq,
        ClobOrder calldata order,
        bool keepPriority
    ) external returns (uint32 place);

    /// As replaceOrder, by a client id of this subaccount.
    function replaceClientOrder(
        uint32 subaccount,
        bytes calldata clientId,
        ClobOrder calldata order,
        bool keepPriority
    ) external returns (uint32 place);

    /// By its number, which order_placed tells; of any subaccount.
    function cancelOrder(uint32 market, uint64 orderSeq) external returns (uint32 place);

    /// Cancels an order by its client id, 1 to 16 bytes. It refuses also what the caller signed before and what is still on its way.
    function cancelClientOrder(
        uint32 subaccount,
        uint32 market,
        bytes calldata clientId
    ) external returns (uint32 place);

    /// Cancels all orders of one market or of all (0), of one side or of both (0).
    function cancelAll(uint32 subaccount, uint32 market, uint8 side) external returns (uint32 place);

    /// All orders of msg.sender die at this time, in milliseconds since 1970: above the time of the next block, at most 24 hours ahead, and
    /// with an open order. 0 takes it back.
    function scheduleCancel(uint64 atMs) external returns (uint32 place);

    function getMarket(uint32 market) external view returns (ClobMarket memory info);

    function getRecord(uint32 market) external view returns (ClobRecord memory record);

    /// The sum of block price x milliseconds until now. Two of them give the average price between: their difference over that of
    /// `atMs`. While a market has no price the sum stands still.
    function getPriceSum(uint32 market) external view returns (uint256 priceMs, uint64 atMs);

    /// Reverts where it is not open (any more, or yet).
    function getOrder(uint32 market, uint64 orderSeq) external view returns (ClobOpenOrder memory order);

    /// Looks at `limit` numbers from `fromSeq` on, 1,000 at most, for an open order of a market, and is paid for by each: all orders of all
    /// markets are numbered in one row. `orderSeq` is 0 where the order has none of them, `nextSeq` where to look on, or 0 where no order has
    /// a higher number.
    function findOrder(
        uint32 market,
        address owner,
        uint32 subaccount,
        bytes calldata clientId,
        uint64 fromSeq,
        uint32 limit
    ) external view returns (uint64 orderSeq, uint64 nextSeq);

    /// What the next order gets that is accepted, at least: whoever notes it when it asks finds its order from there on.
    function getNextOrderSeq() external view returns (uint64 orderSeq);

    /// Weight that this block may still queue. An order that can take weighs `maxFills`, cancelAll and scheduleCancel 20, all others 1.
    function getQueueRoom() external view returns (uint32 weight);
}

IClob constant CLOB = IClob(0x0000000000000000000000000000000000000900);
