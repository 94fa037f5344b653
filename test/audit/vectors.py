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


def run(names):
    total = 0
    for name in names:
        count = globals()[name]()
        total += count
        print(f'ok {count} vectors of {name}')
    return total


ALL = ['signatures', 'roots', 'plan', 'matching']
