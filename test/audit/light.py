"""Headers, commits, validator sets and results as CometBFT hashes and signs them (spec/core/data_structures, light client)."""
import calendar
import re
import time

from codec import field, merkle, message_field, sfixed64, sha, uvarint
from ed25519 import verify
from rpc import base64

ABSENT, COMMIT, NIL = 1, 2, 3
PRECOMMIT = 2
_TYPES = {'tendermint/PubKeyEd25519': 1}


class Fault(Exception):
    """What does not match, and by which rule of the audit."""

    def __init__(self, rule, what):
        super().__init__(f'rule {rule}: {what}')
        self.rule, self.what = rule, what


def parse_time(text):
    """(seconds, nanoseconds) since 1970."""
    match = re.fullmatch(r'(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z', text)
    if match is None:
        raise Fault(1, f'time {text}')
    seconds = calendar.timegm(time.strptime(match[1], '%Y-%m-%dT%H:%M:%S'))
    return seconds, int((match[2] or '').ljust(9, '0'))


def time_ms(text):
    seconds, nanos = parse_time(text)
    return seconds * 1000 + nanos // 1_000_000


def _timestamp(text):
    seconds, nanos = parse_time(text)
    return field(1, seconds) + field(2, nanos)


def _part_set(block_id):
    parts = block_id['parts']
    return field(1, int(parts['total'])) + field(2, bytes.fromhex(parts['hash']))


def _block_id(block_id):
    return field(1, bytes.fromhex(block_id['hash'])) + message_field(2, _part_set(block_id))


def header_hash(h):
    def hashed(name):
        return field(1, bytes.fromhex(h[name]))
    version = h['version']
    return merkle([
        field(1, int(version['block'])) + field(2, int(version.get('app') or 0)), field(1, h['chain_id'].encode()),
        field(1, int(h['height'])), _timestamp(h['time']), _block_id(h['last_block_id']), hashed('last_commit_hash'), hashed('data_hash'),
        hashed('validators_hash'), hashed('next_validators_hash'), hashed('consensus_hash'), hashed('app_hash'),
        hashed('last_results_hash'), hashed('evidence_hash'), hashed('proposer_address')])


class Validators:
    """A validator set: (address, key, power) in the order of commits."""

    def __init__(self, members):
        self.members = members
        self.total = sum(power for _, _, power in members)
        self.n = len(members)

    def hash(self):
        return merkle([message_field(1, message_field(1, key)) + field(2, power) for _, key, power in self.members])

    @staticmethod
    def fetch(rpc, height):
        members, page = [], 1
        while True:
            reply = rpc.comet('validators', height=height, page=page, per_page=100)
            for each in reply['validators']:
                if each['pub_key']['type'] not in _TYPES:
                    raise Fault(1, f'a key of type {each["pub_key"]["type"]}: this program knows Ed25519 alone')
                key = base64(each['pub_key']['value'])
                members.append((sha(key)[:20], key, int(each['voting_power'])))
            if len(members) >= int(reply['total']) or not reply['validators']:
                return Validators(members)
            page += 1


def commit_hash(commit):
    return merkle([field(1, each['block_id_flag']) + field(2, bytes.fromhex(each['validator_address']))
                   + message_field(3, _timestamp(each['timestamp'])) + field(4, base64(each['signature']))
                   for each in commit['signatures']])


def check_commit(commit, header, own_hash, validators):
    """More than two thirds of the set signed this header."""
    height = int(header['height'])
    if int(commit['height']) != height or bytes.fromhex(commit['block_id']['hash']) != own_hash:
        raise Fault(1, f'the commit is not of header {height}')
    if len(commit['signatures']) != validators.n:
        raise Fault(1, f'the commit has {len(commit["signatures"])} votes of {validators.n} validators')
    block_id = message_field(4, field(1, own_hash) + message_field(2, _part_set(commit['block_id'])))
    start = field(1, PRECOMMIT) + sfixed64(2, height) + sfixed64(3, int(commit['round'])) + block_id
    signed = 0
    for each, (address, key, power) in zip(commit['signatures'], validators.members, strict=True):
        if each['block_id_flag'] != COMMIT:
            continue
        if bytes.fromhex(each['validator_address']) != address:
            raise Fault(1, 'a vote of the commit is of another validator')
        body = start + message_field(5, _timestamp(each['timestamp'])) + field(6, header['chain_id'].encode())
        if not verify(key, uvarint(len(body)) + body, base64(each['signature'])):
            raise Fault(1, f'the signature of validator {address.hex()} under header {height} does not hold')
        signed += power
    if 3 * signed <= 2 * validators.total:
        raise Fault(1, f'{signed} of {validators.total} power signed header {height}')


def data_hash(txs):
    return merkle([sha(tx) for tx in txs])


def results_hash(results):
    return merkle([field(1, each.get('code') or 0) + field(2, base64(each.get('data'))) + field(5, int(each.get('gas_wanted') or 0))
                   + field(6, int(each.get('gas_used') or 0)) for each in results])
