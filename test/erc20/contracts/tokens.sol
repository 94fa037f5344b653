// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// An honest token. All of them begin with a million for whoever creates them.
contract Honest {
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        held[msg.sender] = totalSupply = 1_000_000;
    }

    function name() external view virtual returns (string memory) { return "Honest Token"; }
    function symbol() external view virtual returns (string memory) { return "HON"; }
    function decimals() external view virtual returns (uint8) { return 6; }
    function balanceOf(address who) public view virtual returns (uint256) { return held[who]; }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) internal virtual {
        held[from] -= value;
        held[to] += value;
        emit Transfer(from, to, value);
    }
}

/// As the oldest tokens: nothing is returned, and names are bytes32.
contract NoReturn {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    bytes32 public constant name = "Old Token";
    bytes32 public constant symbol = "OLD";

    constructor() { balanceOf[msg.sender] = 1_000_000; }

    function approve(address spender, uint256 value) external { allowance[msg.sender][spender] = value; }

    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
    }

    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}

/// Says no, and moves nothing.
contract ReturnsFalse is Honest {
    function transfer(address, uint256) external pure override returns (bool) { return false; }
    function transferFrom(address, address, uint256) external pure override returns (bool) { return false; }
}

/// Says no, and moves all the same.
contract FalseButMoves is Honest {
    function transfer(address to, uint256 value) external override returns (bool) { move(msg.sender, to, value); return false; }
    function transferFrom(address from, address to, uint256 value) external override returns (bool) { move(from, to, value); return false; }
}

/// Says yes, and moves nothing.
contract TrueButStays is Honest {
    function move(address, address, uint256) internal override {}
}

/// Returns what is no boolean.
contract ReturnsTwo is Honest {
    function transfer(address to, uint256 value) external override returns (bool) {
        move(msg.sender, to, value);
        assembly { mstore(0, 2) return(0, 32) }
    }
}

/// The receiver gets a tenth less.
contract FeeOnTransfer is Honest {
    function move(address from, address to, uint256 value) internal override {
        held[from] -= value;
        held[to] += value - value / 10;
        totalSupply -= value / 10;
    }
}

/// The sender pays a tenth more.
contract FeeOfSender is Honest {
    function move(address from, address to, uint256 value) internal override {
        held[from] -= value + value / 10;
        held[to] += value;
    }
}

/// The receiver gets twice as much.
contract GivesTwice is Honest {
    function move(address from, address to, uint256 value) internal override {
        held[from] -= value;
        held[to] += 2 * value;
    }
}

/// Balances are shares of a pool, which anybody sets in percent.
contract Rebasing is Honest {
    uint256 public percent = 100;

    function rebase(uint256 value) external { percent = value; }
    function balanceOf(address who) public view override returns (uint256) { return held[who] * percent / 100; }
    function move(address from, address to, uint256 value) internal override {
        uint256 shares = value * 100 / percent;
        held[from] -= shares;
        held[to] += shares;
    }
}

/// Says that everybody holds what it is told to say, and moves nothing.
contract Liar is Honest {
    uint256 public told;
    uint256 public step;

    function tell(uint256 value, uint256 step_) external { told = value; step = step_; }
    function balanceOf(address) public view override returns (uint256) { return told; }
    function move(address, address, uint256) internal override { unchecked { told += step; } }
}

contract Reverts is Honest {
    function move(address, address, uint256) internal pure override { revert("no"); }
}

/// Uses all gas: in transfers, or in balanceOf.
contract BurnsGas is Honest {
    bool public inBalance;

    function choose(bool value) external { inBalance = value; }
    function burn() internal view { for (uint256 i = 0; gasleft() > 0; i++) {} }
    function balanceOf(address who) public view override returns (uint256) { if (inBalance) burn(); return held[who]; }
    function move(address from, address to, uint256 value) internal override {
        if (!inBalance) burn();
        super.move(from, to, value);
    }
}

/// Calls somebody in the middle of a transfer, and notes what came of it.
contract CallsBack is Honest {
    address public target;
    bytes public data;
    bool public isDone;
    bytes public answer;
    uint256 public calls;

    function aim(address target_, bytes calldata data_) external { target = target_; data = data_; }
    function move(address from, address to, uint256 value) internal override {
        held[from] -= value;
        if (target != address(0)) {
            calls++;
            (isDone, answer) = target.call(data);
        }
        held[to] += value;
    }
}

/// Ends itself in a transfer.
contract Destroys is Honest {
    function move(address, address, uint256) internal override { selfdestruct(payable(address(this))); }
}

/// Does not answer balanceOf.
contract NoBalance {
    function transfer(address, uint256) external pure returns (bool) { return true; }
}

/// Names that are long, turn the text around, or are none, and decimals beyond everything.
contract Names is Honest {
    bytes private text;
    uint256 private places;

    constructor(bytes memory text_, uint256 places_) { text = text_; places = places_; }
    function name() external view override returns (string memory) { return string(text); }
    function symbol() external view override returns (string memory) { return string(text); }
    function decimals() external view override returns (uint8) {
        uint256 out = places;
        assembly { mstore(0, out) return(0, 32) }
    }
}

/// Answers name with an offset and a length that lie.
contract LyingName is Honest {
    function name() external pure override returns (string memory) {
        assembly {
            mstore(0, 32)
            mstore(32, not(0))
            mstore(64, 0)
            return(0, 96)
        }
    }
    function symbol() external pure override returns (string memory) {
        assembly {
            mstore(0, not(0))
            mstore(32, 5)
            return(0, 64)
        }
    }
}

/// What a token behind proxies takes to tell its decimals.
contract Underlying {
    uint256[10] private slots;

    function decimals() external view returns (uint8) {
        uint256 sum = 6;
        for (uint256 i = 0; i < 10; i++) sum += slots[i];
        return uint8(sum);
    }
}

/// Has the decimals of another token, and 18 where that one does not answer: as OpenZeppelin's ERC20Wrapper.
contract Wrapper is Honest {
    Underlying private immutable underlying = new Underlying();

    function decimals() external view override returns (uint8) {
        try underlying.decimals() returns (uint8 value) { return value; } catch { return 18; }
    }
}
