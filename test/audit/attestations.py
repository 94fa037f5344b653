"""Vote extensions and what they oblige a block to hold (docs/clob-spec.md, Attestations, Obligations)."""
from collections import namedtuple

from codec import Malformed, decode, field, message_field, read_uvarint, sfixed64, uvarint

MOST_DT = 30_000
Listed = namedtuple('Listed', 'id phase salt age wide')
Obligation = namedtuple('Obligation', 'id phase time_ms wide')
Extension = namedtuple('Extension', 'attestations bodies')
EMPTY = Extension((), ())

_BRIDGE = {1: ('id', 'u32', ''), 2: ('hash', 'bytes', '')}
_CONTENT = {1: ('id', 'u32', ''), 2: ('amount', 'bytes', ''), 3: ('from', 'bytes', ''), 4: ('recipient', 'bytes', ''),
            5: ('data_hash', 'bytes', ''), 6: ('external_height', 'u64', '')}
_SIGNATURE = {1: ('digest', 'bytes', ''), 2: ('signature', 'bytes', '')}
_EXTENSION = {1: ('version', 'u32', ''), 2: ('attestations', 'bytes', ''), 3: ('bodies', 'bytes', 'repeated'),
              4: ('bridge', _BRIDGE, 'repeated'), 5: ('bridge_contents', _CONTENT, 'repeated'),
              6: ('bridge_signatures', _SIGNATURE, 'repeated')}
_VOTE = {1: ('extension', 'bytes', ''), 2: ('signature', 'bytes', '')}
_INJECTED = {1: ('version', 'u32', ''), 2: ('votes', _VOTE, 'repeated')}


def decode_injected(raw):
    """[(extension, signature), ...] of txs[0]."""
    if raw[:1] != b'\x71':
        raise Malformed('the first transaction does not begin with 0x71')
    message = decode(_INJECTED, raw[1:])
    if message['version'] != 1:
        raise Malformed('version of the injected extensions')
    return [(vote['extension'], vote['signature']) for vote in message['votes']]


def decode_attestations(data):
    """[(phase, id, dt), ...]"""
    entries, at, seen = [], 0, set()
    for phase in range(3):
        count, at = read_uvarint(data, at)
        if count == 0:
            continue
        if count > len(data):
            raise Malformed('number of attestations')
        zigzag, at = read_uvarint(data, at)
        dt = zigzag >> 1 if zigzag & 1 == 0 else -(zigzag + 1 >> 1)
        ids, at = [data[at + 12 * i:at + 12 * i + 12] for i in range(count)], at + 12 * count
        last = None
        for i, each in enumerate(ids):
            if i:
                delta, at = read_uvarint(data, at)
                dt += delta
            if len(each) != 12 or not -MOST_DT <= dt <= MOST_DT or each in seen or (last is not None and (dt, each) <= last):
                raise Malformed('attestations')
            seen.add(each)
            last = (dt, each)
            entries.append((phase, each, dt))
    if at != len(data) or not entries:
        raise Malformed('attestations')
    return entries


def check_signatures(signatures):
    digests = [each['digest'] for each in signatures]
    if len(digests) > 2 or digests != sorted(set(digests)):
        raise Malformed('digests of the bridge')
    if any(len(each['digest']) != 32 or len(each['signature']) != 65 for each in signatures):
        raise Malformed('a signature of the bridge')


def check_bridge(hashes, contents):
    for said, most in ((hashes, 24), (contents, 16)):
        ids = [each['id'] for each in said]
        if len(ids) > most or ids != sorted(set(ids)):
            raise Malformed('ids of the bridge')
    for each in contents:
        amount = each['amount']
        if len(amount) > 32 or amount[:1] == b'\0' or len(each['recipient']) > 64:
            raise Malformed('amount or recipient')
        if len(each['from']) != 20 or len(each['data_hash']) != 32:
            raise Malformed('sender or data hash')


def read_extension(data, cap):
    """What an extension says; Malformed where it is not canonical."""
    if len(data) > cap:
        raise Malformed('longer than the cap')
    message = decode(_EXTENSION, data)
    if message['version'] != 1 or any(not 1 <= len(body) <= 4096 for body in message['bodies']):
        raise Malformed('version or a body')
    if not any(message[name] for name in ('attestations', 'bodies', 'bridge', 'bridge_contents', 'bridge_signatures')):
        raise Malformed('nothing is said')
    if any(len(each['hash']) != 32 for each in message['bridge']):
        raise Malformed('bridge')
    check_bridge(message['bridge'], message['bridge_contents'])
    check_signatures(message['bridge_signatures'])
    attestations = decode_attestations(message['attestations']) if message['attestations'] else ()
    return Extension(attestations, message['bodies'])


def decode_extension(data, cap):
    """What an extension says. Anything that is not canonical says nothing."""
    try:
        return read_extension(data, cap) if data else EMPTY
    except Malformed:
        return EMPTY


def sign_bytes(extension, height, commit_round, chain_id):
    body = field(1, extension) + sfixed64(2, height) + sfixed64(3, commit_round) + field(4, chain_id.encode())
    return uvarint(len(body)) + body


def obligations(votes, total, time_ms, bucket_ms):
    """Of [(power, attestations), ...], in canonical order."""
    by_id = {}
    for power, attestations in votes:
        for phase, each, dt in attestations:
            by_id.setdefault((phase, each), []).append((time_ms + dt, power))
    found = {}
    for (phase, each), said in sorted(by_id.items()):
        power = sum(p for _, p in said)
        if 3 * power <= total or each in found:
            continue
        sum_until = 0
        said.sort()
        for index, (at, p) in enumerate(said):
            sum_until += p
            if index + 1 < len(said) and said[index + 1][0] == at:
                continue
            if 3 * sum_until > total and 2 * sum_until > power:
                break
        found[each] = Obligation(each, phase, at, 3 * power > 2 * total)
    return sorted(found.values(), key=lambda o: (o.phase, o.time_ms // bucket_ms, o.id))


def encode_vote(extension, signature):
    """For tests."""
    return message_field(2, field(1, extension) + field(2, signature))
