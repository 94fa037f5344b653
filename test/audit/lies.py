"""
Lies of a node, and chains that break the rules: the audit must name the rule. A node that lies is one whose answers are changed on
their way; a chain that breaks a rule looks as one does that keeps it to an audit whose own rule is changed.
"""
import argparse
import copy
from base64 import b64decode, b64encode

import attestations
import audit
import light
import matching
from codec import message_field
from rpc import Rpc


def _drop_order(reply):
    txs = reply['block']['data']['txs']
    txs[:] = txs[:-1]


def _swap_orders(reply):
    txs = reply['block']['data']['txs']
    if len(txs) > 2:
        txs[1], txs[2] = txs[2], txs[1]


def _result_code(reply):
    for each in reply['txs_results'] or []:
        each['code'] = 47


def _signed(commit):
    """Finds the first vote that came in time for the commit: the others have no signature."""
    return next(vote for vote in commit['signatures'] if vote['signature'])


def _signature(reply):
    vote = _signed(reply['signed_header']['commit'])
    vote['signature'] = ('A' if vote['signature'][0] != 'A' else 'B') + vote['signature'][1:]


def _app_hash(reply):
    reply['signed_header']['header']['app_hash'] = '00' * 32


def _power(reply):
    for each in reply['validators']:
        each['voting_power'] = str(int(each['voting_power']) + 1)


def _value(reply):
    if reply['response'].get('proofOps') and reply['response'].get('value'):
        reply['response']['value'] = 'wQA='


def _absent(reply):
    if reply['response'].get('proofOps'):
        reply['response']['value'] = None


def _no_proof(reply):
    reply['response'].pop('proofOps', None)


def _order_left_out(reply):
    response = reply['response']
    if not response.get('proofOps') and response.get('value'):
        response['value'] = ''


def _orders_without_end(reply):
    response = reply['response']
    if not response.get('proofOps') and response.get('value'):
        more = message_field(2, message_field(1, bytes(7) + b'\x01'))
        response['value'] = b64encode(b64decode(response['value']) + more).decode()


def _account(reply):
    reply['accountProof'] = reply['accountProof'][:1]


NODES = [
    ('a block without its last transaction', 'block', _drop_order, 1),
    ('a block with two orders swapped', 'block', _swap_orders, 1),
    ('a last commit without a signature', 'block', lambda reply: _signed(reply['block']['last_commit']).update(signature=''), 1),
    ('other results', 'block_results', _result_code, 1),
    ('a signature that does not hold', 'commit', _signature, 1),
    ('another application hash', 'commit', _app_hash, 1),
    ('other powers', 'validators', _power, 1),
    ('another value', 'abci_query', _value, 1),
    ('a value that is kept back', 'abci_query', _absent, 1),
    ('no proof', 'abci_query', _no_proof, 1),
    ('another balance', 'eth_getProof', _account, 1),
    ('no open orders', 'abci_query', _order_left_out, 2),
    ('open orders without end', 'abci_query', _orders_without_end, 2),
]


def _changed(owner, name, change):
    original = getattr(owner, name)
    return owner, name, change(original)


def _last_forgotten(original):
    return lambda *args: original(*args)[:-1]


def _reversed(original):
    return lambda *args: original(*args)[::-1]


def _other_signature(original):
    return lambda raw: [(extension, bytes(64)) for extension, _ in original(raw)]


def _vote_too_many(original):
    return lambda raw: [*original(raw), (b'', b'')]


def _one_more_stop(original):
    def count(self, missing):
        address = bytes.fromhex(self.headers[self.height + 1]['proposer_address'])
        self.counters[address] = (1, 0)
        original(self, missing)
    return count


CHAINS = [
    ('an extension with another signature', 3, _changed(attestations, 'decode_injected', _other_signature)),
    ('a vote that the commit does not have', 3, _changed(attestations, 'decode_injected', _vote_too_many)),
    ('an order that nobody is obliged to hold', 5, _changed(attestations, 'obligations', _last_forgotten)),
    ('orders in another order', 5, _changed(attestations, 'obligations', _reversed)),
    ('a stop that is not counted', 6, _changed(audit.Audit, '_count_stop', _one_more_stop)),
    ('a taker fee of another tier', 7, _changed(matching.Step, 'ppm_of', lambda original: lambda self, *a: (100, 0, 299))),
    ('a balance that is not there', 7, _changed(audit._Found, 'balance', lambda original: lambda self, *a: 0)),
    ('records that no transaction made', 8, _changed(matching.Step, 'finish', lambda original: lambda self, *a: (original(self, *a), bytes(32))[1])),
    ('a block price that is not that of the fills', 8, _changed(matching.Step, '_block_prices', lambda original: lambda self: None)),
]


def _first_fault(given, start):
    """The first fault from a height on, or None."""
    try:
        check = audit.Audit(given.comet, given.eth, start)
        for _ in range(start, given.end):
            check.advance()
    except light.Fault as fault:
        return fault
    return None


class _LyingRpc(Rpc):
    lie = None

    def comet(self, route, **arguments):
        return self._changed(route, super().comet(route, **arguments))

    def ethereum(self, method, *params):
        return self._changed(method, super().ethereum(method, *params))

    def _changed(self, route, reply):
        if route == self.lie[0]:
            reply = copy.deepcopy(reply)
            self.lie[1](reply)
        return reply


def _report(name, fault, rule):
    is_named = fault is not None and fault.rule == rule
    print(f'{"ok" if is_named else "MISSED"} {name}: {fault}'[:160])
    return is_named


def main(arguments):
    parser = argparse.ArgumentParser(prog='audit lies')
    parser.add_argument('--from', dest='start', type=int, required=True)
    parser.add_argument('--to', dest='end', type=int, required=True)
    parser.add_argument('--comet', default='http://127.0.0.1:26657')
    parser.add_argument('--eth', default='http://127.0.0.1:8545')
    given = parser.parse_args(arguments)
    named = [_report('the truth', _first_fault(given, given.start) or light.Fault(0, 'holds'), 0)]
    audit.Rpc = _LyingRpc
    for name, route, change, rule in NODES:
        _LyingRpc.lie = route, change
        named.append(_report(name, _first_fault(given, given.start), rule))
    audit.Rpc = Rpc
    for name, rule, (owner, attribute, changed) in CHAINS:
        original = getattr(owner, attribute)
        setattr(owner, attribute, changed)
        named.append(_report(name, _first_fault(given, given.start), rule))
        setattr(owner, attribute, original)
    return 0 if all(named) else 1
