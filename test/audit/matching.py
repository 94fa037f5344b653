"""The CLOB step of a block on an own book (docs/clob-spec.md, Matching)."""
from collections import namedtuple
from dataclasses import replace

from book import covers, names
from codec import rlp, sha
from orders import (BUY, CANCEL_BOTH, CANCEL_MAKER, CANCEL_TAKER, DECREMENT, FOK, GTC, IOC, POST_ONLY, SELL, encode_result, parse_action)
from state import ACTIVE, CANCEL_ONLY, CONTINUOUS, HALTED, POST_ONLY_MARKET, UNIFORM, Floor, Mark, Order

Sender = namedtuple('Sender', 'owner subaccount nonce_ms good_til_block')
MILLION = 10 ** 6
DAY_MS = 86_400_000
MOST_FLOORS, CANCEL_ALL_STEP = 16, 20
MOST_OF_SIDE, MOST_OF_ALL = 100_000, 500_000
CANCELLED, ALL, EXPIRED, SWITCHED, SELF_TRADE, DECREMENTED, REST, MAX_FILLS, TRIGGERED, CROSSING, DISPLACED = range(1, 12)


def ceil_ppm(amount, ppm):
    return -(-amount * ppm // MILLION)


class Step:
    """
    One step. `source` says what the block found: balance(owner, denomination), agent(owner, agent), account(owner) and
    volume(owner, denomination), the last two for owners that the book has not met yet.
    """

    def __init__(self, book, params, source, height, time_ms, bounds=(MOST_OF_SIDE, MOST_OF_ALL)):
        self.book, self.params, self.source, self.height, self.time_ms = book, params, source, height, time_ms
        self.funds, self.ppms, self.actions_of = {}, {}, {}
        self.fees = {}
        self.records, self.after, self.all_records = [], [], []
        self.traded = {}
        self.entered = set()
        # Orders of a uniform market that leave when it is cleared; and the first order_seq of the step.
        self.passing, self.first_seq = set(), book.next_seq
        self.counts = {}
        for kept in (book.nonces, book.marks):
            kept[height] = []
        self.bounds = bounds
        for order in list(book.orders.values()):
            if self.death(order):
                book.bury(order)
        self.used = {each for height_nonces in book.nonces.values() for each in height_nonces}

    # --- funds -----------------------------------------------------------------------------------------------------------

    def spendable(self, owner, denom):
        key = owner, denom
        if key not in self.funds:
            self.funds[key] = self.source.balance(owner, denom)
        return self.funds[key]

    def credit(self, owner, denom, amount):
        self.funds[owner, denom] = self.spendable(owner, denom) + amount

    def lock_of(self, order, lots):
        """(denomination, amount) that `lots` of an order lock."""
        market = self.book.markets[order.market]
        if order.side == SELL:
            return market.base, lots * market.lot_size
        notional = order.price * lots * market.factor
        return market.quote, notional + ceil_ppm(notional, order.locked_ppm)

    def release(self, order, lots):
        """What an order no longer locks when it has `lots` less."""
        denom, before = self.lock_of(order, order.left)
        return denom, before - self.lock_of(order, order.left - lots)[1]

    def ppm_of(self, owner, market):
        """(maker fee, maker rebate, taker fee) in ppm, fixed for the step."""
        key = owner, market.id
        if key not in self.ppms:
            today = self.time_ms // DAY_MS
            traded = sum(amount for day, amount in self.volume(owner, market.quote).items() if today - 30 <= day < today)
            self.ppms[key] = [tier[1:] for tier in market.tiers if tier[0] <= traded][-1]
        return self.ppms[key]

    def volume(self, owner, denom):
        key = owner, denom
        if key not in self.book.volumes:
            self.book.volumes[key] = self.source.volume(owner, denom)
        return self.book.volumes[key]

    def account(self, owner):
        if owner not in self.book.accounts:
            self.book.accounts[owner] = self.source.account(owner)
        return self.book.accounts[owner]

    # --- orders ----------------------------------------------------------------------------------------------------------

    def record(self, market, kind, *rest):
        self.records.append((market, rlp([kind, market, *rest])))

    def death(self, order):
        """The reason with which a dead order is removed; 0 where it lives."""
        if order.expire_s and order.expire_s * 1000 <= self.time_ms:
            return EXPIRED
        account = self.account(order.owner)
        if account.switch_ms and account.switch_ms <= self.time_ms:
            return SWITCHED
        for floor in account.floors:
            if names(floor, order):
                return SWITCHED if floor.label is None else ALL
        return 0

    def remove(self, order, reason):
        """Takes an open order from the book and gives its lock back."""
        self.book.remove(order)
        self.end(order, order.left, reason)

    def take_out(self, order, reason):
        """As `remove`, but the order is left as it was, for `put_back`."""
        self.book.remove(order)
        self.record(order.market, 3, order.seq, order.left, reason)
        self.credit(order.owner, *self.lock_of(order, order.left))

    def put_back(self, order):
        denom, amount = self.lock_of(order, order.left)
        self.credit(order.owner, denom, -amount)
        self.book.insert(order, bool(self.death(order)))

    def close(self):
        """Counts the records at hand, and returns their bytes."""
        for market, _ in self.records:
            self.counts[market] = self.counts.get(market, 0) + 1
        closed = [data for _, data in self.records]
        self.all_records += closed
        return closed

    def end(self, order, lots, reason):
        """Cancels `lots` of an order."""
        self.record(order.market, 3, order.seq, lots, reason)
        self.credit(order.owner, *self.release(order, lots))
        order.left -= lots

    def decrement(self, order, lots, is_open=True):
        self.end(order, lots, DECREMENTED)
        self.left_changed(order, is_open)

    def left_changed(self, order, is_open=True):
        if not is_open:
            return
        if order.left:
            self.book.changed(order)
        else:
            self.book.remove(order)

    def fill(self, maker, taker, price, lots, taker_is_open=False):
        market = self.book.markets[maker.market]
        notional = price * lots * market.factor
        maker_ppm, rebate_ppm, _ = self.ppm_of(maker.owner, market)
        taker_ppm = self.ppm_of(taker.owner, market)[2]
        taker_fee = self._settle(taker, market, notional, lots, taker_ppm, 0)
        rebate = min(notional * rebate_ppm // MILLION, taker_fee)
        maker_fee = self._settle(maker, market, notional, lots, maker_ppm, rebate)
        self.record(maker.market, 2, maker.seq, taker.seq, price, lots, maker_fee, rebate, taker_fee)
        self.fees[market.quote] = self.fees.get(market.quote, 0) + maker_fee + taker_fee - rebate
        for owner in (maker.owner, taker.owner):
            volume, today = self.volume(owner, market.quote), self.time_ms // DAY_MS
            volume[today] = volume.get(today, 0) + notional
        self.left_changed(maker)
        self.left_changed(taker, taker_is_open)
        if self.traded is not None:
            worth, amount = self.traded.get(market.id, (0, 0))
            self.traded[market.id] = worth + price * lots, amount + lots
        return notional

    def _settle(self, order, market, notional, lots, ppm, rebate):
        """Moves one side's funds, takes the lots off it, and returns the fee."""
        if order.side == SELL:
            fee = ceil_ppm(notional, min(ppm, order.locked_ppm))
            self.credit(order.owner, market.quote, notional - fee + rebate)
        else:
            freed = self.release(order, lots)[1]
            fee = min(ceil_ppm(notional, min(ppm, order.locked_ppm)), freed - notional)
            self.credit(order.owner, market.quote, freed - notional - fee + rebate)
            self.credit(order.owner, market.base, lots * market.lot_size)
        order.left -= lots
        return fee

    # --- transactions ----------------------------------------------------------------------------------------------------

    def transaction(self, tx, listed_phase, signer):
        """(code, data) of a transaction; `tx` is None where it is not statically valid, `signer` a function."""
        self.records = []
        code = self._check(tx, listed_phase, signer)
        if code:
            return code, encode_result([], [])
        self.used.add((tx.expected_signer, tx.nonce_ms))
        self.book.nonces[self.height].append((tx.expected_signer, tx.nonce_ms))
        self._settle_switch(tx.owner)
        results = [self._act(tx, *action) for action in tx.actions]
        return 0, encode_result(results, self.close())

    def _settle_switch(self, owner):
        account = self.account(owner)
        if account.switch_ms and account.switch_ms <= self.time_ms:
            account.switch_ms = 0
            account.floors = [Floor(None, 0, 0, self.book.next_seq)] if self.book.owned.get(owner) else []

    def _act(self, sender, kind, fields):
        """(code, order_seq, filled lots, quote)"""
        owner = sender.owner
        self.actions_of[owner] = self.actions_of.get(owner, 0) + 1
        if self.actions_of[owner] > self.params.max_actions:
            return 50, 0, 0, 0
        result = getattr(self, f'do_{kind}')(sender, fields)
        return result if isinstance(result, tuple) else (result, 0, 0, 0)

    def _queued(self, entry):
        """An action that a contract queued in the block before."""
        sender = Sender(entry.owner, entry.subaccount, self.book.time_ms, self.height + 40)
        kind, fields = parse_action(entry.action)
        if kind in ('place', 'replace') and self.time_ms - self.book.time_ms > 60_000:
            return 46, 0, 0, 0
        self._settle_switch(sender.owner)
        return self._act(sender, kind, fields)

    def _check(self, tx, listed_phase, signer):
        if tx is None:
            return 40
        if tx.phase != listed_phase:
            return 41
        if signer() != tx.expected_signer:
            return 15
        if tx.agent and not self._agent_may(tx):
            return 43
        if self.height > tx.good_til_block:
            return 44
        if tx.good_til_block > self.height + 40:
            return 45
        if abs(tx.nonce_ms - self.time_ms) > 60_000:
            return 46
        return 47 if (tx.expected_signer, tx.nonce_ms) in self.used else 0

    def _agent_may(self, tx):
        agent = self.source.agent(tx.owner, tx.agent)
        if agent is None or agent.expire_s * 1000 <= self.time_ms:
            return False
        if not agent.markets:
            return True
        for kind, fields in tx.actions:
            market = fields['target']['market'] if kind == 'replace' else fields.get('market', 0)
            if market not in agent.markets:
                return False
        return True

    # --- actions ---------------------------------------------------------------------------------------------------------

    def _closed(self, market_id, is_cancel):
        market = self.book.markets.get(market_id)
        if market is None:
            return 51
        if market.status == HALTED:
            return 52
        return 53 if market.status == CANCEL_ONLY and not is_cancel else 0

    def do_place(self, tx, p):
        code = self._closed(p['market'], False)
        return code or self.place(self._order(tx, p), tx.nonce_ms)

    def _order(self, tx, p):
        """A Place as an order that is not in the book yet."""
        return Order(p['market'], 0, tx.owner, tx.subaccount, p['side'], p['tif'], p['price_ticks'], p['qty_lots'], p['qty_lots'], 0,
                     p['client_id'], p['expire_s'], p['trigger_ticks'], p['trigger_kind'], p['stp'], p['max_fills'] or 20,
                     p['post_only_mode'])

    def place(self, order, nonce_ms):
        code = self._check_static(order, nonce_ms)
        if code:
            return code
        before, holder = len(self.records), self._holder(order)
        if holder:
            reason = self.death(holder)
            if not reason:
                return 61
            self.take_out(holder, reason)
        code = self._check_entry(order)
        if code:
            del self.records[before:]
            if holder:
                self.put_back(holder)
            return code
        order.seq, self.book.next_seq = self.book.next_seq, self.book.next_seq + 1
        denom, amount = self.lock_of(order, order.left)
        self.credit(order.owner, denom, -amount)
        self._placed(order)
        if order.trigger_kind or order.tif == POST_ONLY or self.book.markets[order.market].mode == UNIFORM:
            code = self._rest(order)
            if not code:
                self.entered.add(order.market)
            return code, order.seq, 0, 0
        return self._match(order)

    def _rest(self, order):
        """Puts what is left into the book, where there is room or another one gives way; else cancels it. The code."""
        if order.tif == IOC and not order.trigger_kind:
            self.passing.add(order.seq)
            self.book.insert(order)
            return 0
        way = self._gives_way(order)
        if way is None or way[1] is not None:
            if way is not None:
                self.remove(way[1], self.death(way[1]) or DISPLACED)
            self.book.insert(order)
            return 0
        self.end(order, order.left, DISPLACED)
        return way[0]

    def _gives_way(self, comer):
        """None where there is room, else (code, the order that gives way; None is the comer)."""
        passing = {seq for seq in self.passing if seq in self.book.orders}
        own_side = comer.market, comer.side
        own = self.book.living[own_side] - passing if passing else self.book.living[own_side]
        if len(own) >= self.bounds[0]:
            return 64, self._least(own, comer)
        if len(self.book.orders) - len(passing) < self.bounds[1]:
            return None
        dead = self.book.dead - passing
        if dead:
            return 72, self.book.orders[min(dead)]
        living = {key: held - passing for key, held in self.book.living.items()}
        longest = min((-len(held) - (key == own_side), key) for key, held in living.items())[1]
        return 72, self._least(living[longest], comer if longest == own_side else None)

    def _least(self, held, comer):
        """Of a side: the order that locks least, of equal ones the newest. None where that is the comer."""
        least = min((self.book.orders[seq] for seq in held), key=lambda o: (stake(o), -o.seq), default=None)
        return None if comer is not None and (least is None or stake(comer) <= stake(least)) else least

    def _placed(self, o):
        self.record(o.market, 1, o.seq, o.owner, o.subaccount, o.side, o.tif, o.price, o.left, o.client_id)

    def _check_static(self, o, nonce_ms):
        """What no open order bears on."""
        market = self.book.markets[o.market]
        takes = o.tif != POST_ONLY and not o.trigger_kind
        if market.status == POST_ONLY_MARKET and takes:
            return 54
        if market.mode == UNIFORM and (o.tif == FOK or o.trigger_kind):
            return 55
        if o.left * market.factor << 32 >= 1 << 127 or o.left * market.lot_size >= 1 << 127:
            return 56
        if o.expire_s and o.expire_s * 1000 <= self.time_ms:
            return 59
        if nonce_ms is not None and self._marked(o, nonce_ms):
            return 60
        price = self.book.records[o.market].block_price
        if takes and price and market.band_ppm:
            beyond = o.price - price if o.side == BUY else price - o.price
            if beyond * MILLION > price * market.band_ppm:
                return 58
        return 0

    def _check_entry(self, o):
        """What is judged by the book, without a dead order of the same client id. Slides the price."""
        market = self.book.markets[o.market]
        if o.tif == POST_ONLY and not o.trigger_kind and not self._slide(o):
            return 66
        if o.price * o.left * market.factor < market.min_notional:
            return 57
        rests = o.trigger_kind or o.tif in (GTC, POST_ONLY)
        if market.mode == UNIFORM or rests:
            code = self._full(o, market, rests)
            if code:
                return code
        o.locked_ppm = max([0] + [max(tier[1], tier[3]) for tier in market.tiers])
        denom, amount = self.lock_of(o, o.left)
        if self.spendable(o.owner, denom) < amount:
            return 65
        return 67 if o.tif == FOK and not o.trigger_kind and not self._fillable(o) else 0

    def _holder(self, o):
        seq = self.book.clients.get(self.book.client_key(o)) if o.client_id else None
        return self.book.orders[seq] if seq else None

    def _marked(self, o, nonce_ms):
        for marks in self.book.marks.values():
            for mark in marks:
                if (mark.owner == o.owner and mark.subaccount == o.subaccount and mark.market in (0, o.market)
                        and nonce_ms < mark.nonce_ms and self.height <= mark.good_til_block
                        and (mark.client_id == o.client_id if mark.client_id else mark.side in (0, o.side))):
                    return True
        return False

    def _slide(self, o):
        best = self.book.best(o.market, 3 - o.side)
        if best is None or not crosses(o, best):
            return True
        if o.post_only_mode == 0:
            return False
        o.price = best.price - 1 if o.side == BUY else best.price + 1
        return 1 <= o.price < 1 << 32

    def _full(self, o, market, rests):
        owned = self.book.owned.get(o.owner, ())
        if len(owned) >= self.params.max_open_orders:
            return 62
        if sum(1 for seq in owned if self.book.orders[seq].market == o.market) >= market.max_open_orders:
            return 63
        way = self._gives_way(o) if rests else None
        return way[0] if way is not None and way[1] is None else 0

    def _fillable(self, o):
        left = o.left
        for maker in self.book.line(o.market, 3 - o.side)[:o.max_fills]:
            if not crosses(o, maker):
                break
            if maker.owner == o.owner:
                if o.stp == CANCEL_MAKER:
                    continue
                return False
            left -= maker.left
            if left <= 0:
                return True
        return False

    def _match(self, o):
        met = filled = quote = 0
        while o.left and met < o.max_fills:
            maker = self.book.best(o.market, 3 - o.side)
            if maker is None or not crosses(o, maker):
                break
            met += 1
            if maker.owner == o.owner:
                if self._self_trade(maker, o):
                    return (0 if o.stp == DECREMENT else 81), o.seq, filled, quote
            else:
                lots = min(o.left, maker.left)
                quote += self.fill(maker, o, maker.price, lots)
                filled += lots
        code = 0
        if o.left and met == o.max_fills:
            self.end(o, o.left, MAX_FILLS)
            code = 80
        elif o.left and o.tif != GTC:
            self.end(o, o.left, REST)
        elif o.left:
            code = self._rest(o)
        return code, o.seq, filled, quote

    def _self_trade(self, maker, o, is_open=False):
        """By the newer one's choice. True where it ends the newer one."""
        if o.stp == CANCEL_MAKER:
            self.remove(maker, SELF_TRADE)
            return False
        if o.stp in (CANCEL_TAKER, CANCEL_BOTH):
            if o.stp == CANCEL_BOTH:
                self.remove(maker, SELF_TRADE)
            if is_open:
                self.remove(o, SELF_TRADE)
            else:
                self.end(o, o.left, SELF_TRADE)
            return True
        lots = min(maker.left, o.left)
        self.decrement(maker, lots)
        self.decrement(o, lots, is_open)
        return o.left == 0

    def _target(self, tx, target):
        if target['client_id'] is not None:
            seq = self.book.clients.get((tx.owner, tx.subaccount, target['market'], target['client_id']))
            return self.book.orders[seq] if seq else None
        order = self.book.orders.get(target['order_seq'])
        return order if order and order.owner == tx.owner and order.market == target['market'] else None

    def _mark(self, tx, market, side, client_id):
        self.book.marks[self.height].append(Mark(tx.owner, tx.subaccount, market, side, client_id, tx.nonce_ms, tx.good_til_block))

    def do_cancel(self, tx, target):
        code = self._closed(target['market'], True)
        if code:
            return code
        if target['client_id'] is not None:
            self._mark(tx, target['market'], 0, target['client_id'])
        order = self._target(tx, target)
        if order is None:
            return 68
        self.remove(order, CANCELLED)
        return 0

    def do_cancel_all(self, tx, fields):
        market, side = fields['market'], fields['side']
        code = self._closed(market, True) if market else 0
        if code:
            return code
        named = [o for o in self.book.open_of(tx.owner)
                 if o.subaccount == tx.subaccount and market in (0, o.market) and side in (0, o.side)]
        account = self.account(tx.owner)
        if len(named) > CANCEL_ALL_STEP:
            floor = Floor(tx.subaccount, market, side, self.book.next_seq)
            rest = [o for o in self.book.open_of(tx.owner) if o not in named[:CANCEL_ALL_STEP]]
            others = [each for each in account.floors if not covers(floor, each) and any(names(each, o) for o in rest)]
            if len(others) >= MOST_FLOORS:
                return 69
            account.floors = [*others, floor]
            for order in named[CANCEL_ALL_STEP:]:
                self.book.bury(order)
        for order in named[:CANCEL_ALL_STEP]:
            self.remove(order, ALL)
        self._mark(tx, market, side, b'')
        return 0

    def do_replace(self, tx, fields):
        p = fields['place']
        code = self._closed(p['market'], False)
        if code:
            return code
        target = self._target(tx, fields['target'])
        if target is None or self.death(target):
            if fields['target']['client_id'] is not None:
                self._mark(tx, p['market'], 0, fields['target']['client_id'])
            return 68
        order = self._order(tx, p)
        keeps = (fields['keep_priority'] and target.subaccount == order.subaccount and target.side == order.side
                 and target.price == order.price and (target.trigger_kind, target.trigger_ticks) == (order.trigger_kind, order.trigger_ticks)
                 and order.lots <= target.left and (order.tif in (GTC, POST_ONLY) or order.trigger_kind)
                 and not (self.book.markets[order.market].mode == UNIFORM and target.seq >= self.first_seq))
        if keeps:
            return self._keep(target, order, tx.nonce_ms)
        before = len(self.records)
        self.take_out(target, CANCELLED)
        result = self.place(order, tx.nonce_ms)
        if isinstance(result, int):
            del self.records[before:]
            self.put_back(target)
        return result

    def _keep(self, target, order, nonce_ms):
        code = self._check_static(order, nonce_ms)
        if code:
            return code
        holder = self._holder(order)
        holder = None if holder is target else holder
        if holder and not self.death(holder):
            return 61
        if order.price * order.left * self.book.markets[order.market].factor < self.book.markets[order.market].min_notional:
            return 57
        if holder:
            self.remove(holder, self.death(holder))
        self.take_out(target, CANCELLED)
        order.seq, order.locked_ppm = target.seq, target.locked_ppm
        self._placed(order)
        self.put_back(order)
        return 0, order.seq, 0, 0

    def do_schedule(self, tx, fields):
        account, at_ms = self.account(tx.owner), fields['at_ms']
        if at_ms == 0:
            account.switch_ms = 0
            return 0
        if not self.book.owned.get(tx.owner):
            return 70
        if not self.time_ms < at_ms <= self.time_ms + DAY_MS:
            return 71
        account.switch_ms = at_ms
        return 0

    # --- behind the batch ------------------------------------------------------------------------------------------------

    def finish(self, queue=()):
        """Runs what contracts queued, clears uniform markets, sets block prices, fires triggers, removes the dead, and writes the markets' records."""
        self.records = []
        self.queued = [self._queued(entry) for entry in queue]
        for market in sorted(self.book.markets.values(), key=lambda each: each.id):
            if market.mode == UNIFORM and market.id in self.entered:
                self._clear(market)
        self._block_prices()
        self.traded = None
        self._triggers()
        self._removals()
        self.after = self.close()
        for owner in list(self.book.accounts):
            self.book.purge_floors(owner)
        for identifier, count in self.counts.items():
            self.book.records[identifier].sequence += count
        for identifier, record in self.book.records.items():
            if identifier in self.counts:
                record.root = self.book.roots[identifier].root()
            best = [self.book.best(identifier, side) for side in (BUY, SELL)]
            record.best_bid, record.best_ask = (each.price if each else 0 for each in best)
            record.open_orders = self.book.count[identifier]
        for kept in (self.book.nonces, self.book.marks):
            if not kept[self.height]:
                del kept[self.height]
        self.book.forget(self.height)
        self.book.time_ms = self.time_ms
        return sha(b''.join(self.after)) if self.after else None

    def _clear(self, market):
        price = self._clearing_price(market.id)
        if price is not None:
            self._pair(market.id, price)
        for order in [self.book.orders[seq] for seq in sorted(self.book.orders)]:
            if order.market == market.id and order.tif == IOC and not order.trigger_kind:
                self.remove(order, REST)
        while True:
            bid, ask = (self.book.best(market.id, side) for side in (BUY, SELL))
            if bid is None or ask is None or bid.price < ask.price:
                return
            crossing = [o for o in self.book.line(market.id, BUY) if o.price >= ask.price]
            crossing += [o for o in self.book.line(market.id, SELL) if o.price <= bid.price]
            self.remove(max(crossing, key=lambda o: o.seq), CROSSING)

    def _clearing_price(self, identifier):
        bids, asks = (self.book.line(identifier, side) for side in (BUY, SELL))
        if not bids or not asks or bids[0].price < asks[0].price:
            return None
        last = self.book.records[identifier].block_price
        choices = []
        for price in {o.price for o in bids + asks if asks[0].price <= o.price <= bids[0].price}:
            demand = sum(o.left for o in bids if o.price >= price)
            supply = sum(o.left for o in asks if o.price <= price)
            choices.append((-min(demand, supply), abs(demand - supply), abs(price - last) if last else 0, price))
        return min(choices)[3]

    def _pair(self, identifier, price):
        met = {}
        while True:
            bid, ask = (self.book.best(identifier, side) for side in (BUY, SELL))
            if bid is None or ask is None or bid.price < price or ask.price > price:
                return
            older, newer = sorted((bid, ask), key=lambda o: o.seq)
            met[newer.seq] = met.get(newer.seq, 0) + 1
            if older.owner == newer.owner:
                self._self_trade(older, newer, True)
            else:
                self.fill(older, newer, price, min(older.left, newer.left), True)
            if newer.seq in self.book.orders and met[newer.seq] >= newer.max_fills:
                self.remove(newer, MAX_FILLS)

    def _block_prices(self):
        for identifier, (worth, lots) in sorted(self.traded.items()):
            market, record = self.book.markets[identifier], self.book.records[identifier]
            price = worth // lots
            if worth * market.factor < market.trigger_notional or price == record.block_price:
                continue
            record.price_ms += record.block_price * (self.time_ms - record.since_ms)
            record.block_price, record.since_ms = price, self.time_ms

    def _fires(self, order):
        market, price = self.book.markets[order.market], self.book.records[order.market].block_price
        if not order.trigger_kind or order.seq in self.book.dead or market.status != ACTIVE or market.mode != CONTINUOUS or not price:
            return False
        is_above = (order.trigger_kind == 1) == (order.side == BUY)
        return price >= order.trigger_ticks if is_above else price <= order.trigger_ticks

    def _triggers(self):
        count = weight = 0
        for seq in sorted(seq for seq, order in self.book.orders.items() if self._fires(order)):
            order = self.book.orders.get(seq)
            if order is None:
                continue
            own = 1 if order.tif == POST_ONLY else order.max_fills
            if count + 1 > self.params.max_triggers or weight + own > self.params.trigger_weight:
                return
            count, weight = count + 1, weight + own
            lots = order.left
            self.remove(order, TRIGGERED)
            self.place(replace(order, seq=0, lots=lots, left=lots, trigger_ticks=0, trigger_kind=0), None)

    def _removals(self):
        for seq in sorted(self.book.dead)[:self.params.max_removals]:
            self.remove(self.book.orders[seq], self.death(self.book.orders[seq]))


def stake(order):
    """What an order locks, in units of its side: the product is rounded once, to binary64."""
    return float(order.price * order.left) if order.side == BUY else float(order.left)


def crosses(order, maker):
    return order.price >= maker.price if order.side == BUY else order.price <= maker.price
