"""ClobTx: the wire form, static validity, phase, weight, digests and signer (docs/clob-spec.md, Messages)."""
from collections import OrderedDict

from codec import Malformed, decode, message_field, read_uvarint, sha
from hashes import hash160, keccak256
from secp256k1 import N, recover

CANCEL, POST, TAKER = 0, 1, 2
BUY, SELL = 1, 2
GTC, IOC, FOK, POST_ONLY = 1, 2, 3, 4
CANCEL_MAKER, CANCEL_TAKER, CANCEL_BOTH, DECREMENT = 0, 1, 2, 3

SIDES = {0: 'both', 1: 'buy', 2: 'sell'}
TIFS = {1: 'gtc', 2: 'ioc', 3: 'fok', 4: 'post_only'}
STPS = ['cancel_maker', 'cancel_taker', 'cancel_both', 'decrement']
TRIGGERS = ['none', 'stop', 'take_profit']
MODES = ['reject', 'slide']

_PLACE = {
    1: ('market', 'u32', ''), 2: ('side', 'u32', ''), 3: ('price_ticks', 'u64', ''), 4: ('qty_lots', 'u64', ''), 5: ('tif', 'u32', ''),
    6: ('stp', 'u32', ''), 7: ('client_id', 'bytes', ''), 8: ('expire_s', 'u64', ''), 9: ('trigger_ticks', 'u64', ''),
    10: ('trigger_kind', 'u32', ''), 11: ('max_fills', 'u32', ''), 12: ('post_only_mode', 'u32', ''), 13: ('builder', 'bytes', ''),
    14: ('builder_fee_ppm', 'u32', ''), 15: ('group', 'bytes', ''),
}


_CANCEL = {1: ('market', 'u32', ''), 2: ('client_id', 'bytes', 'oneof'), 3: ('order_seq', 'u64', 'oneof')}
_CANCEL_ALL = {1: ('market', 'u32', ''), 2: ('side', 'u32', '')}
_REPLACE = {1: ('target', _CANCEL, 'message'), 2: ('place', _PLACE, 'message'), 3: ('keep_priority', 'bool', '')}
_SCHEDULE = {1: ('at_ms', 'u64', '')}
_ACTION = {
    1: ('place', _PLACE, 'oneof'), 2: ('cancel', _CANCEL, 'oneof'), 3: ('cancel_all', _CANCEL_ALL, 'oneof'),
    4: ('replace', _REPLACE, 'oneof'), 5: ('schedule', _SCHEDULE, 'oneof'),
}
_TX = {
    1: ('version', 'u32', ''), 2: ('owner', 'bytes', ''), 3: ('subaccount', 'u32', ''), 4: ('nonce_ms', 'u64', ''),
    5: ('good_til_block', 'u32', ''), 6: ('actions', _ACTION, 'repeated'), 7: ('scheme', 'u32', ''), 8: ('signature', 'bytes', ''),
    9: ('agent', 'bytes', ''),
}


class Invalid(Malformed):
    def __init__(self, code, what):
        super().__init__(f'code {code}: {what}')
        self.code = code


def _want(code, condition, what):
    if not condition:
        raise Invalid(code, what)


class Tx:
    """A transaction that is statically valid. Actions are pairs (kind, fields)."""

    def __init__(self, wire):
        _want(1, 2 <= len(wire) <= 4096 and wire[0] == 0x70, 'wire form')
        self.wire, self.hash = wire, sha(wire)
        try:
            message = decode(_TX, wire[1:])
        except Invalid:
            raise
        except Malformed as error:
            raise Invalid(2, str(error)) from None
        _want(3, message['version'] == 1, 'version')
        _want(4, len(message['owner']) == 20, 'owner')
        agent = message['agent']
        _want(4, agent == b'' or (len(agent) == 20 and any(agent)), 'agent')
        _want(5, message['nonce_ms'] < 1 << 53 and 1 <= message['scheme'] <= 3, 'range')
        _want(6, 1 <= len(message['actions']) <= 50, 'number of actions')
        self.owner, self.agent, self.subaccount = message['owner'], agent, message['subaccount']
        self.nonce_ms, self.good_til_block = message['nonce_ms'], message['good_til_block']
        self.scheme, self.signature = message['scheme'], message['signature']
        self.actions = [_action(each) for each in message['actions']]
        places = [a if kind == 'place' else a['place'] for kind, a in self.actions if kind in ('place', 'replace')]
        self.phase = TAKER if any(can_take(p) for p in places) else POST if places else CANCEL
        self.weight = sum(_weight(kind, a) for kind, a in self.actions)
        _want(14, self.weight <= 1000, 'weight')
        _want(13, len(self.signature) == 65, 'signature')
        self.r, self.s = (int.from_bytes(self.signature[i:i + 32], 'big') for i in (0, 32))
        self.v = self.signature[64]
        _want(13, 1 <= self.r < N and 1 <= self.s <= N // 2 and self.v < 2, 'signature')

    def body(self):
        """The canonical ClobTx without its signature. Fields 8 and 9 are the last."""
        at = 1
        while True:
            tag, value_at = read_uvarint(self.wire, at)
            length, after = read_uvarint(self.wire, value_at)
            if tag & 7 == 2:
                after += length
            if tag >> 3 == 8:
                return self.wire[1:at] + self.wire[after:]
            at = after

    def sign_bytes(self, chain_id):
        return message_field(1, self.body()) + message_field(3, chain_id.encode())

    def digest(self, chain_id, evm_chain_id):
        if self.scheme == 1:
            return keccak256(b'\x19\x01' + domain_hash(chain_id, evm_chain_id) + self._struct_hash())
        return (keccak256 if self.scheme == 2 else sha)(self.sign_bytes(chain_id))

    def _struct_hash(self):
        actions = keccak256(b''.join(keccak256(_ACTION_TYPE + b''.join(_typed(a))) for a in self.actions))
        agent = self.agent or bytes(20)
        return keccak256(b''.join((_TX_TYPE, _word(self.owner), _word(agent), _word(self.subaccount), _word(self.nonce_ms),
                                   _word(self.good_til_block), actions)))

    def signer(self, chain_id, evm_chain_id):
        """The address whose key signed; None where there is none."""
        key = recover(self.digest(chain_id, evm_chain_id), self.r, self.s, self.v)
        if key is None:
            return None
        x, y = (part.to_bytes(32, 'big') for part in key)
        return hash160(bytes([2 + key[1] % 2]) + x) if self.scheme == 3 else keccak256(x + y)[12:]

    @property
    def expected_signer(self):
        return self.agent or self.owner


_parsed = OrderedDict()


def parse(wire):
    """The transaction, or None where it is not statically valid. Remembers the newest."""
    if wire not in _parsed:
        try:
            _parsed[wire] = Tx(wire)
        except Malformed:
            _parsed[wire] = None
        if len(_parsed) > 50_000:
            _parsed.popitem(last=False)
    return _parsed[wire]


def can_take(place):
    return place['tif'] != POST_ONLY and place['trigger_kind'] == 0


def _weight(kind, fields):
    if kind in ('cancel_all', 'schedule'):
        return 20
    place = fields if kind == 'place' else fields.get('place')
    return (place['max_fills'] or 20) if place and can_take(place) else 1


def _action(message):
    chosen = [(kind, fields) for kind, fields in message.items() if fields is not None]
    _want(6, len(chosen) == 1, 'an empty action')
    kind, fields = chosen[0]
    if kind == 'place':
        _check_place(fields)
    elif kind == 'cancel':
        _check_cancel(fields)
    elif kind == 'cancel_all':
        _want(5, fields['side'] <= 2, 'side')
    elif kind == 'replace':
        _want(8, fields['target'] is not None and fields['place'] is not None, 'a part of a replace is missing')
        _check_cancel(fields['target'])
        _check_place(fields['place'])
        _want(8, fields['target']['market'] == fields['place']['market'], 'markets of a replace')
    else:
        _want(5, fields['at_ms'] < 1 << 53, 'at_ms')
    return kind, fields


def parse_action(data):
    """(kind, fields) of the canonical bytes of one Action."""
    return _action(decode(_ACTION, data))


def _check_place(p):
    _want(5, p['market'] >= 1 and 1 <= p['side'] <= 2 and 1 <= p['price_ticks'] < 1 << 32, 'range')
    _want(5, 1 <= p['qty_lots'] < 1 << 53 and 1 <= p['tif'] <= 4 and p['stp'] <= 3, 'range')
    _want(5, p['max_fills'] <= 200 and p['post_only_mode'] <= 1 and p['trigger_kind'] <= 2 and p['expire_s'] < 1 << 53, 'range')
    _want(12, len(p['client_id']) <= 16, 'client id')
    _want(11, not p['builder'] and not p['builder_fee_ppm'] and not p['group'], 'reserved field')
    if p['trigger_kind']:
        _want(9, 1 <= p['trigger_ticks'] < 1 << 32, 'trigger')
    else:
        _want(9, p['trigger_ticks'] == 0, 'trigger')
    _want(10, p['expire_s'] == 0 or p['tif'] in (GTC, POST_ONLY), 'expiry')


def _check_cancel(c):
    _want(5, c['market'] >= 1, 'market')
    client_id, seq = c['client_id'], c['order_seq']
    _want(7, (client_id is None) != (seq is None), 'target')
    _want(7, 1 <= len(client_id) <= 16 if client_id is not None else 1 <= seq < 1 << 53, 'target')


# --- EIP-712 -----------------------------------------------------------------------------------------------------------

_ACTION_TEXT = (b'Action(string kind,uint32 market,string side,uint64 priceTicks,uint64 qtyLots,string tif,string stp,bytes clientId,'
                b'uint64 expireS,uint64 triggerTicks,string triggerKind,uint32 maxFills,string postOnlyMode,bytes targetClientId,'
                b'uint64 targetSeq,bool keepPriority,uint64 atMs)')
_TX_TEXT = (b'ClobTx(address owner,address agent,uint32 subaccount,uint64 nonceMs,uint32 goodTilBlock,Action[] actions)')
_ACTION_TYPE, _TX_TYPE = keccak256(_ACTION_TEXT), keccak256(_TX_TEXT + _ACTION_TEXT)
_DOMAIN_TYPE = keccak256(b'EIP712Domain(string name,string version,uint256 chainId,bytes32 salt)')
_ORDER = ['kind', 'market', 'side', 'priceTicks', 'qtyLots', 'tif', 'stp', 'clientId', 'expireS', 'triggerTicks', 'triggerKind',
          'maxFills', 'postOnlyMode', 'targetClientId', 'targetSeq', 'keepPriority', 'atMs']
_NOTHING = dict.fromkeys(_ORDER, 0) | dict.fromkeys(['kind', 'side', 'tif', 'stp', 'triggerKind', 'postOnlyMode', 'clientId',
                                                     'targetClientId'], b'')


def _word(value):
    return value.rjust(32, b'\0') if isinstance(value, bytes) else int(value).to_bytes(32, 'big')


def domain_hash(chain_id, evm_chain_id):
    return keccak256(_DOMAIN_TYPE + keccak256(b'nat clob') + keccak256(b'1') + _word(evm_chain_id) + sha(chain_id.encode()))


def _typed(action):
    kind, f = action
    members = dict(_NOTHING)
    place = f if kind == 'place' else f.get('place')
    target = f if kind == 'cancel' else f.get('target')
    if place:
        members |= {
            'market': place['market'], 'side': SIDES[place['side']].encode(), 'priceTicks': place['price_ticks'],
            'qtyLots': place['qty_lots'], 'tif': TIFS[place['tif']].encode(), 'stp': STPS[place['stp']].encode(),
            'clientId': place['client_id'], 'expireS': place['expire_s'], 'triggerTicks': place['trigger_ticks'],
            'triggerKind': TRIGGERS[place['trigger_kind']].encode(), 'maxFills': place['max_fills'],
            'postOnlyMode': MODES[place['post_only_mode']].encode(),
        }
    if target:
        members |= {'market': target['market'], 'targetClientId': target['client_id'] or b'', 'targetSeq': target['order_seq'] or 0}
    if kind == 'cancel_all':
        members |= {'market': f['market'], 'side': SIDES[f['side']].encode()}
    if kind == 'replace':
        members['keepPriority'] = f['keep_priority']
    if kind == 'schedule':
        members['atMs'] = f['at_ms']
    members['kind'] = {'cancel_all': b'cancelAll', 'schedule': b'scheduleCancel'}.get(kind, kind.encode())
    return [keccak256(v) if isinstance(v, bytes) else _word(v) for v in (members[name] for name in _ORDER)]


# --- ClobResult --------------------------------------------------------------------------------------------------------

def encode_result(results, records):
    """`results`: (code, order_seq, filled lots, quote) of each action; `records`: those of the transaction."""
    from codec import field, integer
    body = b''.join(message_field(1, field(1, code) + field(2, seq) + field(3, filled) + field(4, integer(quote)))
                    for code, seq, filled, quote in results)
    return body + message_field(2, sha(b''.join(records)))
