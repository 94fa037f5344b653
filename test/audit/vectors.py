"""Runs test/vectors/clob with this implementation."""
import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / 'vectors' / 'clob'


def load(name):
    return json.loads((FOLDER / f'{name}.json').read_text())


class Failed(AssertionError):
    pass


def equal(where, found, expected):
    if found != expected:
        raise Failed(f'{where}: {found!r} where the vector has {expected!r}')


def unhex(text):
    return bytes.fromhex(text.removeprefix('0x'))


def signatures():
    from orders import Invalid, Tx
    vectors = load('signatures')['vectors']
    for vector in vectors:
        name, code = vector['name'], vector['code']
        try:
            tx = Tx(unhex(vector['raw']))
        except Invalid as error:
            if code in (0, 15):
                raise Failed(f'{name}: {error}') from None
            continue
        if code not in (0, 15):
            raise Failed(f'{name}: valid where the vector has code {code}')
        chain = vector['chain']['chainId'], vector['chain']['evmChainId']
        equal(name, tx.hash, unhex(vector['hash']))
        equal(name, (tx.phase, tx.weight), (vector['phase'], vector['weight']))
        equal(name, tx.digest(*chain), unhex(vector['digest']))
        if 'signBytes' in vector:
            equal(name, tx.sign_bytes(chain[0]), unhex(vector['signBytes']))
        signer = tx.signer(*chain)
        equal(name, signer, unhex(vector['signer']) if vector.get('signer') else None)
        equal(name, signer == tx.expected_signer, code == 0)
    return len(vectors)


def extensions():
    from attestations import sign_bytes
    from ed25519 import verify
    vectors = load('extensions')['vectors']
    for v in vectors:
        message = sign_bytes(unhex(v['extension']), v['height'], v['round'], v['chainId'])
        equal(v['name'], message.hex(), v['signBytes'])
        equal(v['name'], verify(unhex(v['publicKey']), message, unhex(v['signature'])), v['isValid'])
    return len(vectors)


def envelopes():
    from attestations import read_extension
    from codec import Malformed
    vectors = load('envelopes')['vectors']
    for v in vectors:
        try:
            read_extension(unhex(v['extension']), 131_072)
            is_canonical = True
        except Malformed:
            is_canonical = False
        equal(v['name'], is_canonical, v['isCanonical'])
    return len(vectors)


def roots():
    from codec import merkle
    from roots import BookRoot
    vectors = load('roots')
    for index, book in enumerate(vectors['books']):
        tree = BookRoot()
        for order in book['orders']:
            tree.put(int(order['seq']), unhex(order['value']))
        equal(f'book {index}', tree.root().hex(), book['root'])
    for vector in vectors['encodings']:
        equal(f'order {vector["order"]["seq"]}', order_of(vector['order']).value().hex(), vector['value'])
    for index, tree in enumerate(vectors['trees']):
        equal(f'tree {index}', merkle([unhex(leaf) for leaf in tree['leaves']]).hex(), tree['root'])
    return sum(len(vectors[each]) for each in ('books', 'encodings', 'trees'))


def order_of(o):
    from orders import MODES, SIDES, STPS, TIFS, TRIGGERS
    from state import Order
    named = lambda names, name: {v: k for k, v in (names.items() if isinstance(names, dict) else enumerate(names))}[name]
    return Order(o['market'], int(o['seq']), unhex(o['owner']), o['subaccount'], named(SIDES, o['side']), named(TIFS, o['tif']),
                 int(o['price']), int(o['lots']), int(o['left']), int(o['lockedPpm']), unhex(o['clientId']), int(o['expireS']),
                 int(o['triggerTicks']), named(TRIGGERS, o['triggerKind']), named(STPS, o['stp']), o['maxFills'],
                 named(MODES, o['postOnlyMode']))


def plan():
    from attestations import Listed, decode_attestations, obligations
    from codec import Malformed
    from plan import Body, listed_obligations, plan as planned
    vectors = load('plan')
    for index, vector in enumerate(vectors):
        name, given, expected = f'plan {index}', vector['given'], vector['expected']
        votes = []
        for vote in given['votes']:
            try:
                said = decode_attestations(unhex(vote['attestations'])) if vote['attestations'] else []
            except Malformed:
                said = []
            votes.append((int(vote['power']), said))
        found = obligations(votes, int(given['totalPower']), given['timeOfHMs'], given['bucketMs'])
        equal(name, [{'id': o.id.hex(), 'phase': o.phase, 'timeMs': o.time_ms, 'isWide': o.wide} for o in found],
              expected['obligations'])
        carried = [Listed(unhex(c['id']), c['phase'], unhex(c['salt']), c['age'], c['isWide']) for c in given['carried']]
        bodies = [[b['weight'] and Body(unhex(b['hash']), b['length'], b['weight']) for b in given[which]] for which in ('block', 'injected')]
        listed = carried + listed_obligations(found, unhex(given['salt']))
        outcome = planned(listed, *bodies, given['shareBytes'], given['weight'])
        equal(name, outcome.fault is None, expected['isValid'])
        if not expected['isValid']:
            continue
        equal(name, [each.id.hex() for each in outcome.taken], expected['taken'])
        equal(name, outcome.missing and outcome.missing.id.hex(), expected['missing'])
        equal(name, [{'id': c.id.hex(), 'phase': c.phase, 'salt': c.salt.hex(), 'age': c.age, 'isWide': c.wide}
                     for c in outcome.carried], expected['carried'])
    return len(vectors)


class _Source:
    """What a vector's block found."""

    def __init__(self, state, agents):
        from state import Agent
        self.balances = {tuple(key.split(' ')): int(amount) for key, amount in state['balances'].items()}
        self.agents = {(a['owner'], a['agent']): Agent(int(a['expireS']), tuple(a['markets'])) for a in agents}

    def balance(self, owner, denom):
        return self.balances.get((owner.hex(), denom), 0)

    def agent(self, owner, agent):
        return self.agents.get((owner.hex(), agent.hex()))

    def account(self, owner):
        from state import Account
        return Account(0, [])

    def volume(self, owner, denom):
        return {}


def _params(given):
    from state import DEFAULT_PARAMS, Params
    return Params(*DEFAULT_PARAMS[:4], given['maxActions'], given['maxOpenOrders'], given['maxTriggers'], given['triggerWeight'], 0,
                  given['maxRemovals'])


_STATUS = {'active': 1, 'post_only': 2, 'cancel_only': 3, 'halted': 4}
_SIDE = {None: 0, 'buy': 1, 'sell': 2}


def _market(m):
    from state import Market
    tiers = [(int(f['volume']), max(0, int(f['makerPpm'])), max(0, -int(f['makerPpm'])), int(f['takerPpm'])) for f in m['fees']]
    return Market(m['id'], m['baseDenom'], m['quoteDenom'], int(m['lotSize']), int(m['factor']), tiers, int(m['minNotional']),
                  int(m['bandPpm']), m['maxOpenOrders'], int(m['triggerNotional']), 0, _STATUS[m['status']],
                  {'continuous': 1, 'uniform': 2}[m['mode']])


def _book(case):
    from book import Book
    from state import Account, Floor, Mark, Record
    state, book = case['state'], Book()
    records = {r['market']: r for r in state['records']}
    for m in case['markets']:
        r = records.get(m['id'])
        book.add_market(_market(m), r and Record(int(r['sequence']), int(r['blockPrice']), int(r['priceMs']), int(r['sinceMs']), 0, 0, 0,
                                                 unhex(r['bookRoot'])))
    for each in state['orders']:
        book.insert(order_of(each))
    for a in state['accounts']:
        floors = [Floor(f['subaccount'], f['market'], _SIDE[f['side']], int(f['nextSeq'])) for f in a['floors']]
        book.accounts[unhex(a['owner'])] = Account(int(a['switchMs']), floors)
    for key, amount in state['trades'].items():
        owner, denom, day = key.split(' ')
        book.volumes.setdefault((unhex(owner), denom), {})[int(day)] = int(amount)
    for n in state['nonces']:
        book.nonces.setdefault(n['height'], []).append((unhex(n['signer']), int(n['nonceMs'])))
    for m in state['marks']:
        book.marks.setdefault(m['height'], []).append(
            Mark(unhex(m['owner']), m['subaccount'], m['market'], _SIDE[m['side']], unhex(m['clientId']), int(m['nonceMs']),
                 m['goodTilBlock']))
    book.next_seq, book.time_ms = int(state['nextSeq']), int(state['timeMs'])
    return book


def _state(book, step, case, source):
    """The members of a vector's state that a step leaves."""
    none = {v: k for k, v in _SIDE.items()}
    balances = dict(source.balances)
    for (owner, denom), amount in step.funds.items():
        balances[owner.hex(), denom] = amount
    escrow = {}
    for order in book.orders.values():
        denom, amount = step.lock_of(order, order.left)
        escrow[denom] = escrow.get(denom, 0) + amount
    fees = {denom: int(amount) for denom, amount in case['state']['fees'].items()}
    for denom, amount in step.fees.items():
        fees[denom] = fees.get(denom, 0) + amount
    h = case['height']
    positive = lambda amounts: {key: str(amount) for key, amount in amounts.items() if amount}
    return {
        'nextSeq': str(book.next_seq), 'timeMs': str(book.time_ms),
        'records': [{'market': i, 'sequence': str(r.sequence), 'blockPrice': str(r.block_price), 'priceMs': str(r.price_ms),
                     'sinceMs': str(r.since_ms), 'bookRoot': r.root.hex()} for i, r in sorted(book.records.items())],
        'accounts': {o.hex(): (a.switch_ms, [(f.label, f.market, none[f.side], f.next_seq) for f in a.floors])
                     for o, a in book.accounts.items() if a.switch_ms or a.floors},
        'trades': {f'{o.hex()} {d} {day}': str(amount) for (o, d), days in book.volumes.items() for day, amount in days.items()},
        'balances': positive({f'{o} {d}': amount for (o, d), amount in balances.items()}),
        'escrow': positive(escrow), 'fees': positive(fees),
        'orders': len(book.orders),
        'nonces': [{'height': h, 'signer': s.hex(), 'nonceMs': str(n)} for s, n in book.nonces.get(h, [])],
        'marks': [{'height': h, 'owner': m.owner.hex(), 'subaccount': m.subaccount, 'market': m.market, 'side': none[m.side],
                   'clientId': m.client_id.hex(), 'nonceMs': str(m.nonce_ms), 'goodTilBlock': m.good_til_block}
                  for m in book.marks.get(h, [])],
        'keptNonces': sum(len(each) for each in book.nonces.values()),
        'keptMarks': sum(len(each) for each in book.marks.values()),
    }


def _expected_state(state):
    accounts = {a['owner']: (int(a['switchMs']), [(f['subaccount'], f['market'], f['side'], int(f['nextSeq'])) for f in a['floors']])
                for a in state['accounts'] if int(a['switchMs']) or a['floors']}
    positive = lambda amounts: {key: amount for key, amount in amounts.items() if amount != '0'}
    return {**state, 'accounts': accounts,
            **{key: positive(state[key]) for key in ('balances', 'escrow', 'fees')}}


def _matching_case(case):
    from matching import Step
    from orders import parse
    from state import Queued
    book, source = _book(case), _Source(case['state'], case['agents'])
    step = Step(book, _params(case['parameters']), source, case['height'], int(case['timeMs']),
                (case['bounds']['side'], case['bounds']['all']))
    for index, (each, expected) in enumerate(zip(case['batch'], case['expected']['results'], strict=True)):
        signer = unhex(each['signer']) if each['signer'] else None
        code, data = step.transaction(each['wire'] and parse(unhex(each['wire'])), each['listedPhase'], lambda: signer)
        equal(f'transaction {index}, records', [r.hex() for _, r in step.records] if not code else [], expected['records'])
        equal(f'transaction {index}', (code, data.hex()), (expected['code'], expected['data']))
    queue = [Queued(unhex(each['owner']), each['subaccount'], unhex(each['action'])) for each in case.get('queue', [])]
    after = step.finish(queue)
    equal('queued', [(code, str(seq), str(filled), str(quote)) for code, seq, filled, quote in step.queued],
          [(q['code'], q['orderSeq'], q['filledLots'], q['quote']) for q in case['expected'].get('queued', [])])
    equal('after', [r.hex() for r in step.after], case['expected']['afterRecords'])
    equal('after', after and after.hex(), case['expected']['after'])
    found, expected = _state(book, step, case, source), _expected_state(case['expected']['state'])
    for key in expected:
        equal(key, found[key], expected[key])


def matching():
    cases = load('matching')['cases']
    failures = []
    for case in cases:
        try:
            _matching_case(case)
        except Failed as error:
            failures.append(f'{case["name"]}: {error}')
    if failures:
        raise Failed(f'{len(failures)} of {len(cases)}\n' + '\n'.join(each[:600] for each in failures[:12]))
    return len(cases)


def run(names):
    for name in names:
        try:
            print(f'ok {globals()[name]()} vectors of {name}')
        except Failed as error:
            print(f'{name}: {error}')
            return 1
    return 0


ALL = ['signatures', 'extensions', 'envelopes', 'roots', 'plan', 'matching']
