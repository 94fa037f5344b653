"""Checks blocks A+1 to B of a chain over its ports, and says which height and rule does not fit (docs/clob-spec.md, Audit)."""
import argparse
import time
from dataclasses import dataclass

import attestations
import light
import plan
import state
from book import Book
from codec import Malformed, field, fields, message_field
from light import Fault
from matching import Step
from orders import parse
from proofs import Proofs
from rpc import Rpc, RpcError, base64

KEPT = 40


@dataclass
class Proposals:
    """What a proposer did in the blocks of the audit."""
    blocks: int = 0
    stops: int = 0
    wide_stops: int = 0
    skipped_votes: int = 0
    power_left_out: int = 0


class _Found:
    """What a step finds in the state of H, proven."""

    def __init__(self, proofs, height):
        self.proofs, self.height = proofs, height

    def balance(self, owner, denom):
        return self.proofs.balance(owner, denom, self.height)

    def agent(self, owner, agent):
        return state.agent(self.proofs.value('clob', b'agent' + owner + agent, self.height))

    def account(self, owner):
        return state.account(self.proofs.value('clob', b'account' + owner, self.height))[1]

    def volume(self, owner, denom):
        return state.volume(self.proofs.value('clob', b'volume' + owner + denom.encode(), self.height))


class Audit:
    def __init__(self, comet, ethereum, start, trusted_hash=None, say=print):
        self.comet, self.ethereum, self.say = Rpc(comet), Rpc(ethereum), say
        self.height = start
        self.headers, self.hashes = {}, {}
        self.proofs = Proofs(self.comet, self.ethereum, self.app_hash_of)
        self.proposals, self.counters = {}, {}
        self.orders = self.fills = self.obligations = 0
        signed = self.comet.comet('commit', height=start)['signed_header']
        self.headers[start], self.hashes[start] = signed['header'], light.header_hash(signed['header'])
        if trusted_hash and self.hashes[start] != trusted_hash:
            raise Fault(1, f'header {start} is not the trusted one')
        self.chain_id = signed['header']['chain_id']
        self.evm_chain_id = int(self.ethereum.ethereum('eth_chainId'), 16)
        self.validators = light.Validators.fetch(self.comet, start)
        if self.validators.hash() != bytes.fromhex(signed['header']['validators_hash']):
            raise Fault(1, f'validators of {start} are not those of header {start}')
        light.check_commit(signed['commit'], signed['header'], self.hashes[start], self.validators)
        parameters = self.comet.comet('consensus_params', height=start)['consensus_params']
        groups = [parameters.get(name) or {} for name in ('feature', 'abci')]
        self.enable_height = max(int(each.get('vote_extensions_enable_height') or 0) for each in groups)
        self.initial_height = int(self.comet.comet('genesis')['genesis']['initial_height'])
        self.next_validators = None
        self._header(start + 1)
        self._begin()

    # --- rule 1 ----------------------------------------------------------------------------------------------------------

    def app_hash_of(self, height):
        """That of the state of a height."""
        if height + 1 not in self.headers:
            raise Fault(1, f'header {height + 1} is not verified yet')
        return bytes.fromhex(self.headers[height + 1]['app_hash'])

    def _header(self, height):
        """Verifies the header behind the newest verified one. The set of the newest one is kept."""
        signed = self.comet.comet('commit', height=height)['signed_header']
        header, before = signed['header'], self.headers[height - 1]
        own_hash = light.header_hash(header)
        validators = self.next_validators or self.validators
        if header['validators_hash'] != before['validators_hash']:
            validators = light.Validators.fetch(self.comet, height)
        if (header['validators_hash'] != before['next_validators_hash']
                or validators.hash() != bytes.fromhex(header['validators_hash'])):
            raise Fault(1, f'the validators of {height} are not those that header {height - 1} announced')
        if int(header['height']) != height or header['chain_id'] != self.chain_id:
            raise Fault(1, f'header {height} is of another height or chain')
        if bytes.fromhex(header['last_block_id']['hash']) != self.hashes[height - 1]:
            raise Fault(1, f'header {height} does not follow header {height - 1}')
        if light.parse_time(header['time']) <= light.parse_time(before['time']):
            raise Fault(1, f'header {height} is not later than header {height - 1}')
        light.check_commit(signed['commit'], header, own_hash, validators)
        self.headers[height], self.hashes[height] = header, own_hash
        self.next_validators = validators

    def _block(self, height):
        """Transactions, last commit and results of a block, bound to headers height and height + 1."""
        block = self.comet.comet('block', height=height)['block']
        if light.header_hash(block['header']) != self.hashes[height]:
            raise Fault(1, 'the block is not of the verified header')
        txs = [base64(tx) for tx in block['data']['txs'] or []]
        header = self.headers[height]
        if light.data_hash(txs) != bytes.fromhex(header['data_hash']):
            raise Fault(1, 'the transactions are not those of data_hash')
        if light.commit_hash(block['last_commit']) != bytes.fromhex(header['last_commit_hash']):
            raise Fault(1, 'the last commit is not that of last_commit_hash')
        results = self.comet.comet('block_results', height=height)['txs_results'] or []
        if light.results_hash(results) != bytes.fromhex(self.headers[height + 1]['last_results_hash']):
            raise Fault(1, f'the results are not those of last_results_hash of header {height + 1}')
        if len(results) != len(txs):
            raise Fault(1, 'the block has more transactions than results, or less')
        return txs, block['last_commit'], results

    # --- rule 2 ----------------------------------------------------------------------------------------------------------

    def _clob(self, key, height):
        return self.proofs.value('clob', key, height)

    def _number(self, key, height, absent):
        value = self._clob(key, height)
        return absent if value is None else state.number(state.from_rlp(value))

    def _begin(self):
        """The book at A."""
        a, self.book = self.height, Book()
        book = self.book
        self._markets(a)
        for market in sorted(book.markets):
            for order in self._orders(market, a):
                book.insert(order)
            record = book.records[market]
            if book.roots[market].root() != record.root:
                raise Fault(2, f'the open orders of market {market} at {a} do not have the root of its record')
        book.next_seq, book.time_ms = self._number(b'next', a, 1), self._number(b'time', a, 0)
        self.carried = state.carried(self._clob(b'carried', a))
        for height in range(max(1, a - KEPT), a + 1):
            for kept, key, read in ((book.nonces, b'nonces', state.nonces), (book.marks, b'marks', state.marks)):
                found = read(self._clob(key + state.u64(height), a))
                if found:
                    kept[height] = found

    def _markets(self, height):
        """Markets as the state of a height has them; new ones with their record."""
        identifier = 1
        while (value := self._clob(b'market' + state.u32(identifier), height)) is not None:
            market = state.market(identifier, value)
            if identifier not in self.book.markets:
                record = state.record(self._clob(b'record' + state.u32(identifier), height))
                if height > self.height and record.sequence:
                    raise Fault(8, f'the new market {identifier} has records')
                self.book.add_market(market, record)
            self.book.markets[identifier] = market
            identifier += 1

    def _orders(self, market, height):
        """All open orders of a market, by the paged query nat.clob.v1.Query/Orders."""
        key, last = b'', 0
        while True:
            page = (message_field(1, key) if key else b'') + field(3, 1000)
            reply = self.comet.query('/nat.clob.v1.Query/Orders', field(1, market) + message_field(2, page), height)
            key, before = b'', last
            for number, _, value in fields(base64(reply.get('value'))):
                if number == 1:
                    order = _open_order(value)
                    # A node that begins again would never end.
                    if order.market != market or order.seq <= last:
                        raise Fault(2, f'the open orders of market {market} at {height} are not in the order of order_seq')
                    last = order.seq
                    yield order
                else:
                    key = dict((n, v) for n, _, v in fields(value)).get(1, b'')
            # Nor would one that promises more with an empty page.
            if not key or last == before:
                return

    # --- rules 3 to 6 ----------------------------------------------------------------------------------------------------

    def _votes(self, txs, commit, cap):
        """The votes of block H+1: [(power, Extension), ...]."""
        h, proposer = self.height, self._proposer(self.height + 1)
        votes = [(each, member) for each, member in zip(commit['signatures'], self.validators.members, strict=True)
                 if each['block_id_flag'] == light.COMMIT]
        proposer.power_left_out += self.validators.total - sum(power for _, (_, _, power) in votes)
        try:
            injected = attestations.decode_injected(txs[0] if txs else b'')
        except Malformed as error:
            raise Fault(3, f'txs[0]: {error}') from None
        if any(tx[:1] == b'\x71' for tx in txs[1:]):
            raise Fault(3, 'a second transaction begins with 0x71')
        if len(injected) != len(votes):
            raise Fault(3, f'txs[0] has {len(injected)} votes where the commit has {len(votes)}')
        counted, signed = [], 0
        for (extension, signature), (_, (address, key, power)) in zip(injected, votes, strict=True):
            if not extension and not signature:
                proposer.skipped_votes += 1
                continue
            if len(extension) > cap:
                raise Fault(3, f'the extension of {address.hex()} has {len(extension)} bytes; the cap is {cap}')
            message = attestations.sign_bytes(extension, h, int(commit['round']), self.chain_id)
            if not light.verify(key, message, signature):
                raise Fault(3, f'the signature of the extension of {address.hex()} does not hold')
            signed += power
            counted.append((power, attestations.decode_extension(extension, cap)))
        if 3 * signed <= 2 * self.validators.total:
            raise Fault(3, f'{signed} of {self.validators.total} power stands in txs[0]')
        return counted

    def _proposer(self, height):
        return self.proposals.setdefault(bytes.fromhex(self.headers[height]['proposer_address']), Proposals())

    def _plan(self, txs, commit, params):
        """(transaction, phase of its id) of each ClobTx of block H+1; leaves the carried list of H+1."""
        h = self.height
        orders = [tx for tx in txs if tx[:1] == b'\x70']
        if h < max(self.enable_height, self.initial_height) or not self.enable_height:
            if orders or any(tx[:1] == b'\x71' for tx in txs):
                raise Fault(3, 'orders or extensions before they are enabled')
            self.carried = []
            return []
        caps = state.caps(self._clob(b'caps', h))
        if h not in caps:
            raise Fault(3, f'the state of {h} has no cap of {h}')
        votes = self._votes(txs, commit, caps[h])
        if txs[1:1 + len(orders)] != orders:
            raise Fault(5, 'a ClobTx stands behind another transaction')
        found = attestations.obligations([(power, said.attestations) for power, said in votes], self.validators.total,
                                         light.time_ms(self.headers[h]['time']), params.bucket_ms)
        self.obligations += len(found)
        listed = self.carried + plan.listed_obligations(found, self.hashes[h])
        parsed = [parse(tx) for tx in orders]
        bodies = [_body(parse(body)) for _, said in votes for body in said.bodies]
        share = plan.share_of(caps[h], self.validators.n)
        outcome = plan.plan(listed, [_body(tx) for tx in parsed], bodies, share, params.block_weight)
        if outcome.fault:
            raise Fault(5, outcome.fault)
        self.carried = outcome.carried
        self._count_stop(outcome.missing)
        return [(tx, each.phase) for tx, each in zip(parsed, outcome.taken, strict=True)]

    def _count_stop(self, missing):
        h = self.height
        address, proposer = bytes.fromhex(self.headers[h + 1]['proposer_address']), self._proposer(h + 1)
        key = b'proposer' + address
        if address not in self.counters:
            self.counters[address] = state.proposer(self._clob(key, h))
        if missing is not None:
            proposer.stops += 1
            proposer.wide_stops += missing.wide
            stops, wide = self.counters[address]
            self.counters[address] = stops + 1, wide + missing.wide
        if state.proposer(self._clob(key, h + 1)) != self.counters[address]:
            raise Fault(6, f'stops of proposer {address.hex()} are not {self.counters[address]}')

    # --- rules 7 and 8 ---------------------------------------------------------------------------------------------------

    def _step(self, batch, txs, results, params):
        h = self.height
        step = Step(self.book, params, _Found(self.proofs, h), h + 1, light.time_ms(self.headers[h + 1]['time']))
        first = 1 if batch else 0
        for index, (tx, phase) in enumerate(batch):
            code, data = step.transaction(tx, phase, lambda: tx.signer(self.chain_id, self.evm_chain_id))
            result = results[first + index]
            found = result.get('code') or 0, base64(result.get('data'))
            if found != (code, data):
                raise Fault(7, f'order {index} has code {found[0]} and data {found[1].hex()}; the own ones are {code} and {data.hex()}')
        after = step.finish(state.queue(self._clob(b'queue', h)))
        self.orders += len(batch)
        self.fills += sum(1 for data in step.all_records if state.from_rlp(data)[0] == b'\2')
        return after

    def _check_state(self, after):
        h = self.height + 1
        for identifier, own in self.book.records.items():
            proven = state.record(self._clob(b'record' + state.u32(identifier), h))
            if proven != own:
                raise Fault(8, f'the record of market {identifier} is {proven}; the own one is {own}')
        for key, own, absent in ((b'next', self.book.next_seq, 1), (b'time', self.book.time_ms, 0)):
            if (proven := self._number(key, h, absent)) != own:
                raise Fault(8, f'{key.decode()} is {proven}; the own one is {own}')
        value = self._clob(b'after', h)
        if value != (after and state.rlp(after)):
            raise Fault(8, f'after is {value and value.hex()}; the own one is {after and after.hex()}')
        carried = self._clob(b'carried', h)
        if carried != state.encode_carried(self.carried):
            raise Fault(6, f'carried is {state.carried(carried)}; the own list is {self.carried}')

    def advance(self):
        """Checks block H+1."""
        h = self.height
        self.validators_of_next = self.next_validators
        self._header(h + 2)
        params = state.params(self._clob(b'params', h))
        self._markets(h)
        self._proposer(h + 1).blocks += 1
        txs, commit, results = self._block(h + 1)
        batch = self._plan(txs, commit, params)
        after = self._step(batch, txs, results, params)
        self._check_state(after)
        self.height, self.validators = h + 1, self.validators_of_next
        self.proofs.forget(h + 1)
        for old in [each for each in self.headers if each < h]:
            del self.headers[old], self.hashes[old]


def _body(tx):
    return tx and plan.Body(tx.hash, len(tx.wire), tx.weight)


def _open_order(data):
    """An OpenOrder of the query. Its owner is an address in bech32."""
    held = {number: value for number, _, value in fields(data)}
    owner = bech32_bytes(held[3].decode())
    numbers = [held.get(i, 0) for i in (4, 5, 6, 7, 8, 9, 10)]
    return state.Order(held[1], held[2], owner, *numbers, held.get(11, b''), *(held.get(i, 0) for i in (12, 13, 14, 15, 16, 17)))


def bech32_bytes(text):
    """The bytes of an address. Its checksum is not looked at: the book's root is."""
    alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
    bits = 0
    for letter in (digits := text.rsplit('1', 1)[1][:-6]):
        bits = bits << 5 | alphabet.index(letter)
    spare = 5 * len(digits) % 8
    return (bits >> spare).to_bytes(5 * len(digits) // 8, 'big')


def main(arguments):
    parser = argparse.ArgumentParser(prog='audit run')
    parser.add_argument('--from', dest='start', type=int, required=True, help='A: the height whose state is taken as proven')
    parser.add_argument('--to', dest='end', type=int, help='B: the last block that is checked; header B+1 must be there')
    parser.add_argument('--comet', default='http://127.0.0.1:26657')
    parser.add_argument('--eth', default='http://127.0.0.1:8545')
    parser.add_argument('--trusted-hash', type=bytes.fromhex, help='hash of header A; without it the node is trusted for it')
    given = parser.parse_args(arguments)
    started = time.monotonic()
    audit = None
    height = given.start
    try:
        audit = Audit(given.comet, given.eth, given.start, given.trusted_hash)
        end = given.end or int(audit.comet.comet('status')['sync_info']['latest_block_height']) - 1
        for height in range(given.start + 1, end + 1):
            audit.advance()
    except Fault as fault:
        print(f'height {height}: {fault}')
        return 1
    except RpcError as error:
        print(f'height {height}: not checked: {error}')
        return 2
    took = time.monotonic() - started
    print(f'ok blocks {given.start + 1} to {end}: {audit.orders} orders, {audit.fills} fills, {audit.obligations} obligations, '
          f'{len(audit.book.orders)} open orders; {took:.1f} s, {(end - given.start) / took:.1f} blocks/s')
    for address, p in sorted(audit.proposals.items()):
        print(f'proposer {address.hex()}: {p.blocks} blocks, {p.stops} stops, {p.wide_stops} at widely attested ids, '
              f'{p.skipped_votes} skipped votes, {p.power_left_out} power left out')
    return 0
