// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The external side of the bridge: it takes deposits of the chain's currency, and releases what was burned on the other side.
/// docs/adr/053-bridge-withdrawals.md says what is trusted.
contract NatBridge {
    /// Who signs: validators by ascending address, each with its power. More than `threshold` of power must sign.
    struct ValidatorSet {
        uint256 nonce;
        address[] validators;
        uint256[] powers;
        uint256 threshold;
    }

    /// Of one validator. Where it did not sign all are zero.
    struct Signature {
        bytes32 r;
        bytes32 s;
        uint8 v;
    }

    /// A leaf of the tree of all withdrawals, at the place `id`.
    struct Withdrawal {
        uint256 id;
        address recipient;
        uint256 amount;
    }

    event Bridge(uint256 indexed id, uint256 amount, address from, bytes accAddress, bytes data);
    event RootAccepted(bytes32 indexed root);
    event Released(uint256 indexed id, address indexed recipient, uint256 amount);
    event SetUpdated(uint256 indexed nonce, bytes32 setHash);
    event PausedSet(bool isPaused);
    event DailyLimitSet(uint256 limit);
    event MinDepositSet(uint256 amount);
    event GovernorProposed(address indexed governor);
    event GovernorSet(address indexed governor);

    error NotGovernor();
    error IsPaused();
    error BadDeposit();
    error BadSet();
    error WrongSet();
    error WrongNonce();
    error AlreadyInitialized();
    error BadSignature(uint256 index);
    error TooLittlePower();
    error UnknownRoot();
    error BadProof();
    error AlreadyReleased();
    error BeyondDailyLimit();
    error TransferFailed();

    uint256 public constant TREE_DEPTH = 32;
    uint256 public constant MAX_VALIDATORS = 256;
    /// A deposit above it is refused by the chain, and by this contract before.
    uint256 public constant MAX_DEPOSIT = 1 << 128;
    uint256 public constant MAX_DATA_BYTES = 1024;

    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)");
    bytes32 private constant ROOT_TYPE = keccak256("WithdrawalsRoot(bytes32 root)");
    bytes32 private constant SET_TYPE =
        keccak256("ValidatorSet(uint256 nonce,address[] validators,uint256[] powers,uint256 threshold)");
    bytes32 private constant WITHDRAWAL_TYPE = keccak256("Withdrawal(uint256 id,address recipient,uint256 amount)");
    /// Half of the order of the curve: a signature has one form.
    uint256 private constant MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    /// keccak-256 of the native chain id.
    bytes32 public immutable nativeChain;
    bytes32 private immutable _domain;
    uint256 private immutable _chainId;

    /// Hash of the set in force; zero before the first one.
    bytes32 public setHash;
    uint256 public setNonce;
    uint256 public nextDepositId;
    mapping(bytes32 => bool) public isAcceptedRoot;
    mapping(uint256 => bool) public isReleased;

    address public governor;
    address public proposedGovernor;
    bool public isPaused;
    /// Most that is released on one day (UTC), in wei.
    uint256 public dailyLimit;
    uint256 public limitDay;
    uint256 public releasedOnDay;
    /// Least amount of a deposit, in wei: the chain has a bounded number of places for deposits, and they go in the order of their ids.
    uint256 public minDeposit;

    modifier onlyGovernor() {
        if (msg.sender != governor) revert NotGovernor();
        _;
    }

    modifier whenRunning() {
        if (isPaused) revert IsPaused();
        _;
    }

    constructor(string memory nativeChainId, address governor_, uint256 dailyLimit_) {
        nativeChain = keccak256(bytes(nativeChainId));
        governor = governor_;
        dailyLimit = dailyLimit_;
        _chainId = block.chainid;
        _domain = _makeDomain();
        emit GovernorSet(governor_);
        emit DailyLimitSet(dailyLimit_);
    }

    /// @param accAddress 20 bytes: the account on the other side.
    function deposit(bytes calldata accAddress, bytes calldata data) external payable whenRunning {
        bool isSound = accAddress.length == 20 && data.length <= MAX_DATA_BYTES;
        bool isAmount = msg.value > 0 && msg.value >= minDeposit && msg.value <= MAX_DEPOSIT;
        if (!isSound || !isAmount) revert BadDeposit();
        emit Bridge(nextDepositId++, msg.value, msg.sender, accAddress, data);
    }

    /// The first set, once, by the governor. All later ones are signed by the one before.
    function initializeSet(ValidatorSet calldata first) external onlyGovernor {
        if (setHash != 0) revert AlreadyInitialized();
        _setSet(first);
    }

    /// @param signatures of the present set, in its order, over the next one.
    function updateSet(ValidatorSet calldata next, ValidatorSet calldata present, Signature[] calldata signatures)
        external
        whenRunning
    {
        if (next.nonce != present.nonce + 1) revert WrongNonce();
        _requireSigned(hashSet(next), present, signatures);
        _setSet(next);
    }

    /// Releases one withdrawal, to whom it names, whoever calls. A root that was accepted before needs neither set nor signatures.
    function withdraw(
        bytes32 root,
        ValidatorSet calldata present,
        Signature[] calldata signatures,
        Withdrawal calldata leaf,
        bytes32[32] calldata proof
    ) external whenRunning {
        if (!isAcceptedRoot[root]) {
            if (signatures.length == 0) revert UnknownRoot();
            _requireSigned(keccak256(abi.encode(ROOT_TYPE, root)), present, signatures);
            isAcceptedRoot[root] = true;
            emit RootAccepted(root);
        }
        if (rootOf(leaf, proof) != root) revert BadProof();
        if (isReleased[leaf.id]) revert AlreadyReleased();
        isReleased[leaf.id] = true;
        _countDay(leaf.amount);
        emit Released(leaf.id, leaf.recipient, leaf.amount);
        (bool isSent,) = leaf.recipient.call{value: leaf.amount}("");
        if (!isSent) revert TransferFailed();
    }

    function setPaused(bool paused) external onlyGovernor {
        isPaused = paused;
        emit PausedSet(paused);
    }

    function setDailyLimit(uint256 limit) external onlyGovernor {
        dailyLimit = limit;
        emit DailyLimitSet(limit);
    }

    function setMinDeposit(uint256 amount) external onlyGovernor {
        // Pausing is what stops deposits, and is seen.
        if (amount > MAX_DEPOSIT) revert BadDeposit();
        minDeposit = amount;
        emit MinDepositSet(amount);
    }

    /// In two steps, so that the power does not go to an address that nobody holds.
    function proposeGovernor(address next) external onlyGovernor {
        proposedGovernor = next;
        emit GovernorProposed(next);
    }

    function acceptGovernor() external {
        if (msg.sender != proposedGovernor) revert NotGovernor();
        governor = msg.sender;
        proposedGovernor = address(0);
        emit GovernorSet(msg.sender);
    }

    /// Of EIP-712. A chain that forks and takes another id has another one.
    function domainSeparator() public view returns (bytes32) {
        return block.chainid == _chainId ? _domain : _makeDomain();
    }

    /// Arrays as EIP-712 has them: the hash of their words.
    function hashSet(ValidatorSet calldata set) public pure returns (bytes32) {
        return keccak256(
            abi.encode(
                SET_TYPE,
                set.nonce,
                keccak256(abi.encodePacked(set.validators)),
                keccak256(abi.encodePacked(set.powers)),
                set.threshold
            )
        );
    }

    /// Of this contract alone: the domain is part of it.
    function leafHash(Withdrawal calldata leaf) public view returns (bytes32) {
        return _digest(keccak256(abi.encode(WITHDRAWAL_TYPE, leaf.id, leaf.recipient, leaf.amount)));
    }

    /// The root of a tree that has the leaf at its place.
    function rootOf(Withdrawal calldata leaf, bytes32[32] calldata proof) public view returns (bytes32 node) {
        if (leaf.id >> TREE_DEPTH != 0) revert BadProof();
        node = leafHash(leaf);
        for (uint256 level = 0; level < TREE_DEPTH; level++) {
            bytes32 sibling = proof[level];
            node = (leaf.id >> level) & 1 == 0
                ? keccak256(abi.encode(node, sibling))
                : keccak256(abi.encode(sibling, node));
        }
    }

    function _makeDomain() private view returns (bytes32) {
        return keccak256(
            abi.encode(DOMAIN_TYPE, keccak256("NAT bridge"), keccak256("1"), block.chainid, address(this), nativeChain)
        );
    }

    function _digest(bytes32 structHash) private view returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", domainSeparator(), structHash));
    }

    /// A set that could never sign, or that names somebody twice, would hold all coins for ever.
    function _setSet(ValidatorSet calldata set) private {
        uint256 count = set.validators.length;
        if (count == 0 || count > MAX_VALIDATORS || count != set.powers.length) revert BadSet();
        uint256 power = 0;
        address last = address(0);
        for (uint256 index = 0; index < count; index++) {
            if (set.validators[index] <= last || set.powers[index] >> 128 != 0) revert BadSet();
            last = set.validators[index];
            power += set.powers[index];
        }
        // Two thirds of the power that is listed at least: what is not listed makes it more.
        if (set.threshold >= power || set.threshold < (power * 2) / 3) revert BadSet();
        setHash = hashSet(set);
        setNonce = set.nonce;
        emit SetUpdated(set.nonce, setHash);
    }

    function _requireSigned(bytes32 structHash, ValidatorSet calldata present, Signature[] calldata signatures)
        private
        view
    {
        if (setHash == 0 || hashSet(present) != setHash) revert WrongSet();
        if (signatures.length != present.validators.length) revert BadSet();
        bytes32 digest = _digest(structHash);
        uint256 power = 0;
        for (uint256 index = 0; index < signatures.length; index++) {
            Signature calldata signature = signatures[index];
            if (signature.v == 0) continue;
            if (uint256(signature.s) > MAX_S) revert BadSignature(index);
            // A failed recovery answers zero, which no set has.
            if (ecrecover(digest, signature.v, signature.r, signature.s) != present.validators[index]) {
                revert BadSignature(index);
            }
            power += present.powers[index];
            if (power > present.threshold) return;
        }
        revert TooLittlePower();
    }

    function _countDay(uint256 amount) private {
        uint256 today = block.timestamp / 1 days;
        if (today != limitDay) {
            limitDay = today;
            releasedOnDay = 0;
        }
        if (amount > dailyLimit || releasedOnDay > dailyLimit - amount) revert BeyondDailyLimit();
        releasedOnDay += amount;
    }
}
