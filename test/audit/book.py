"""The book between steps: open orders by price and by owner, accounts, nonces, marks, volumes."""
from bisect import bisect_left, insort

from orders import BUY
from roots import BookRoot
from state import Account, Floor, Record  # noqa: F401

KEPT_BLOCKS = 41
EMPTY_ROOT = BookRoot().root()


class Book:
    def __init__(self):
        self.markets, self.records, self.orders = {}, {}, {}
        self.levels, self.roots, self.clients, self.owned, self.count = {}, {}, {}, {}, {}
        self.accounts, self.volumes, self.nonces, self.marks = {}, {}, {}, {}
        self.next_seq, self.time_ms = 1, 0
        self.dead, self.living = set(), {}

    def add_market(self, market, record=None):
        self.markets[market.id] = market
        if market.id not in self.records:
            self.records[market.id] = record or Record(0, 0, 0, 0, 0, 0, 0, EMPTY_ROOT)
            self.roots[market.id] = BookRoot()
            self.count[market.id] = 0
            self.levels[market.id] = {1: [], 2: []}
            self.living[market.id, 1], self.living[market.id, 2] = set(), set()

    # --- open orders -----------------------------------------------------------------------------------------------------

    @staticmethod
    def _key(order):
        return (-order.price if order.side == BUY else order.price), order.seq

    @staticmethod
    def client_key(order):
        return order.owner, order.subaccount, order.market, order.client_id

    def insert(self, order, is_dead=False):
        self.orders[order.seq] = order
        self.count[order.market] += 1
        self.owned.setdefault(order.owner, set()).add(order.seq)
        if is_dead:
            self.dead.add(order.seq)
        else:
            self.living[order.market, order.side].add(order.seq)
            if not order.trigger_kind:
                insort(self.levels[order.market][order.side], self._key(order))
        if order.client_id:
            self.clients[self.client_key(order)] = order.seq
        self.changed(order)

    def changed(self, order):
        self.roots[order.market].put(order.seq, order.value())

    def remove(self, order):
        del self.orders[order.seq]
        self.count[order.market] -= 1
        owned = self.owned[order.owner]
        owned.discard(order.seq)
        if not owned:
            del self.owned[order.owner]
        if order.seq in self.dead:
            self.dead.discard(order.seq)
        else:
            self._leave(order)
        if order.client_id and self.clients.get(self.client_key(order)) == order.seq:
            del self.clients[self.client_key(order)]
        self.roots[order.market].remove(order.seq)

    def _leave(self, order):
        self.living[order.market, order.side].discard(order.seq)
        if not order.trigger_kind:
            line = self.levels[order.market][order.side]
            del line[bisect_left(line, self._key(order))]

    def bury(self, order):
        """A dead order stays open until it is removed, but nobody meets it."""
        if order.seq not in self.dead:
            self._leave(order)
            self.dead.add(order.seq)

    def best(self, market, side):
        """The first order of a side, or None."""
        line = self.levels[market][side]
        return self.orders[line[0][1]] if line else None

    def line(self, market, side):
        return [self.orders[seq] for _, seq in self.levels[market][side]]

    def open_of(self, owner):
        return [self.orders[seq] for seq in sorted(self.owned.get(owner, ()))]

    # --- accounts --------------------------------------------------------------------------------------------------------

    def account(self, owner):
        return self.accounts.setdefault(owner, Account(0, []))

    def purge_floors(self, owner):
        """A floor goes with the last order that it names."""
        account = self.accounts.get(owner)
        if account and account.floors:
            owned = self.open_of(owner)
            account.floors = [floor for floor in account.floors if any(names(floor, order) for order in owned)]

    def forget(self, height):
        for kept in (self.nonces, self.marks):
            for old in [each for each in kept if each <= height - KEPT_BLOCKS]:
                del kept[old]


def names(floor, order):
    return (order.seq < floor.next_seq and floor.label in (None, order.subaccount) and floor.market in (0, order.market)
            and floor.side in (0, order.side))


def covers(new, old):
    return new.label in (None, old.label) and new.market in (0, old.market) and new.side in (0, old.side)
