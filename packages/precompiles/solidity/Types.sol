// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.8.17;

/// An amount of one denomination, in its smallest unit.
struct Coin {
    string denom;
    uint256 amount;
}

/// An amount in whole units: what stands behind the point has been cut off, whatever the precision says.
struct DecCoin {
    string denom;
    uint256 amount;
    uint8 precision;
}

/// `value` divided by 10 to the power of `precision`.
struct Dec {
    uint256 value;
    uint8 precision;
}

/// Which part of a list to answer with: from `key` on, or after `offset` entries. 0 as `limit` is 100; at most 1,000.
struct PageRequest {
    bytes key;
    uint64 offset;
    uint64 limit;
    bool countTotal;
    bool reverse;
}

/// Where the next page begins (nothing behind the last one), and how many there are where that was asked for.
struct PageResponse {
    bytes nextKey;
    uint64 total;
}
