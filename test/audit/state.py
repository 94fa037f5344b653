"""Keys and values of the module `clob` (docs/clob-spec.md, State)."""
from dataclasses import dataclass, replace  # noqa: F401

from attestations import Listed
from codec import Malformed, from_rlp, number, rlp

MODULE = 'clob'
DEFAULT_PARAMS = (524288, 50, 10, 40000, 400, 500, 500, 5000, 5000, 2000)
ACTIVE, POST_ONLY_MARKET, CANCEL_ONLY, HALTED = 1, 2, 3, 4
CONTINUOUS, UNIFORM = 1, 2
BUCKETS = 1024


@dataclass
class Params:
    extension_budget: int
    min_age_ms: int
    bucket_ms: int
    block_weight: int
    max_actions: int
    max_open_orders: int
    max_triggers: int
    trigger_weight: int
    contract_weight: int
    max_removals: int


@dataclass
class Market:
    id: int
    base: str
    quote: str
    lot_size: int
    factor: int
    tiers: list
    """(volume, maker fee ppm, maker rebate ppm, taker ppm)"""
    min_notional: int
    band_ppm: int
    max_open_orders: int
    trigger_notional: int
    min_equity: int
    status: int
    mode: int


@dataclass
class Record:
    sequence: int
    block_price: int
    price_ms: int
    since_ms: int
    best_bid: int
    best_ask: int
    open_orders: int
    root: bytes


@dataclass
class Order:
    market: int
    seq: int
    owner: bytes
    subaccount: int
    side: int
    tif: int
    price: int
    lots: int
    left: int
    locked_ppm: int
    client_id: bytes
    expire_s: int
    trigger_ticks: int
    trigger_kind: int
    stp: int
    max_fills: int
    post_only_mode: int

    def value(self):
        return rlp([self.owner, self.subaccount, self.side, self.tif, self.price, self.lots, self.left, self.locked_ppm, self.client_id,
                    self.expire_s, self.trigger_ticks, self.trigger_kind, self.stp, self.max_fills, self.post_only_mode])


@dataclass(frozen=True)
class Floor:
    label: int | None
    market: int
    side: int
    next_seq: int


@dataclass
class Account:
    switch_ms: int
    floors: list


@dataclass(frozen=True)
class Agent:
    expire_s: int
    markets: tuple


@dataclass(frozen=True)
class Mark:
    owner: bytes
    subaccount: int
    market: int
    side: int
    client_id: bytes
    nonce_ms: int
    good_til_block: int


@dataclass(frozen=True)
class Queued:
    """What a contract asked for: the canonical bytes of an Action."""
    owner: bytes
    subaccount: int
    action: bytes


def _list(data, length=None):
    items = from_rlp(data) if isinstance(data, bytes) else data
    if not isinstance(items, list) or (length is not None and len(items) != length):
        raise Malformed('list')
    return items


def params(value):
    return Params(*DEFAULT_PARAMS) if value is None else Params(*(number(each) for each in _list(value, 10)))


def market(identifier, value):
    base, quote, lot_size, factor, tiers, *rest = _list(value, 12)
    tiers = [tuple(number(each) for each in _list(tier, 4)) for tier in tiers]
    return Market(identifier, base.decode(), quote.decode(), number(lot_size), number(factor), tiers, *(number(each) for each in rest))


def record(value):
    *numbers, root = _list(value, 8)
    return Record(*(number(each) for each in numbers), root)


def order(market_id, seq, value):
    items = _list(value, 15)
    fields = [each if i in (0, 8) else number(each) for i, each in enumerate(items)]
    return Order(market_id, seq, *fields)


def account(value):
    if value is None:
        return 0, Account(0, [])
    count, switch, floors = _list(value, 3)
    read = []
    for floor in floors:
        label, market_id, side, next_seq = _list(floor, 4)
        read.append(Floor(number(label[0]) if label else None, number(market_id), number(side), number(next_seq)))
    return number(count), Account(number(switch), read)


def agent(value):
    if value is None:
        return None
    _, expire_s, markets = _list(value, 3)
    return Agent(number(expire_s), tuple(number(each) for each in markets))


def nonces(value):
    return [] if value is None else [(signer, number(nonce)) for signer, nonce in (_list(each, 2) for each in _list(value))]


def marks(value):
    return [] if value is None else [
        Mark(owner, number(sub), number(market_id), number(side), client_id, number(nonce), number(until))
        for owner, sub, market_id, side, client_id, nonce, until in (_list(each, 7) for each in _list(value))]


def volume(value):
    """{day: sum}"""
    if value is None:
        return {}
    last, sums = _list(value, 2)
    return {number(last) - i: number(each) for i, each in enumerate(_list(sums, 31)) if number(each)}


def caps(value):
    return {} if value is None else {number(height): number(cap) for height, cap in (_list(each, 2) for each in _list(value))}


def carried(value):
    listed = []
    for age, salt, ids in [] if value is None else (_list(each, 3) for each in _list(value)):
        for phase, wide, each in (_list(item, 3) for item in ids):
            listed.append(Listed(each, number(phase), salt, number(age), number(wide) == 1))
    return listed


def encode_carried(listed):
    """None where nothing is carried."""
    groups = []
    for each in listed:
        if not groups or groups[-1][0] != each.age:
            groups.append([each.age, each.salt, []])
        groups[-1][2].append([each.phase, int(each.wide), each.id])
    return rlp(groups) if groups else None


def queue(value):
    return [] if value is None else [Queued(owner, number(label), action) for owner, label, action in (_list(each, 3) for each in _list(value))]


def proposer(value):
    return (0, 0) if value is None else tuple(number(each) for each in _list(value, 2))


def u32(value):
    return value.to_bytes(4, 'big')


def u64(value):
    return value.to_bytes(8, 'big')
