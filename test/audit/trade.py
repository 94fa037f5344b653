"""Seeded orders of every kind, sent by broadcast_tx_sync: something to audit. Keys come from KEYS, comma-separated."""
import argparse
import os
import random
import time

from codec import field, message_field, sha
from hashes import keccak256
from light import time_ms
from orders import Tx
from rpc import Rpc, RpcError
from secp256k1 import G, N, combine, sign


def place(market, side, price, lots, tif=1, stp=0, client_id=b'', expire_s=0, trigger=(0, 0), max_fills=0, slide=0):
    return (field(1, market) + field(2, side) + field(3, price) + field(4, lots) + field(5, tif) + field(6, stp) + field(7, client_id)
            + field(8, expire_s) + field(9, trigger[1]) + field(10, trigger[0]) + field(11, max_fills) + field(12, slide))


def target(market, client_id=None, seq=None):
    return field(1, market) + (message_field(2, client_id) if client_id is not None else field(3, seq))


def action(kind, body):
    return message_field(6, message_field(kind, body))


class Trader:
    def __init__(self, key, chain):
        self.key, self.chain = int.from_bytes(key, 'big'), chain
        x, y = combine(self.key, G, 0, G)
        self.owner = keccak256(x.to_bytes(32, 'big') + y.to_bytes(32, 'big'))[12:]
        self.nonce = 0

    def wire(self, actions, scheme, subaccount, now_ms, good_til):
        self.nonce = max(self.nonce + 1, now_ms)
        head = (field(1, 1) + field(2, self.owner) + field(3, subaccount) + field(4, self.nonce) + field(5, good_til)
                + b''.join(actions) + field(7, scheme))

        def signed(signature):
            return b'\x70' + head + field(8, signature)
        digest = Tx(signed((1).to_bytes(32, 'big') + (1).to_bytes(32, 'big') + b'\0')).digest(*self.chain)
        r, s, v = sign(digest, self.key, int.from_bytes(sha(digest + self.key.to_bytes(32, 'big')), 'big') % N)
        return signed(r.to_bytes(32, 'big') + s.to_bytes(32, 'big') + bytes([v]))


def actions_of(rng, now_ms, seqs):
    """1 to 4 actions, most of them Places near 1,000 ticks."""
    def any_place():
        market, side = rng.choice((1, 1, 1, 2)), rng.choice((1, 2))
        price = 1000 + rng.randint(-6, 6)
        tif = rng.choice((1, 1, 1, 4, 4, 2, 2, 3))
        trigger = (rng.choice((1, 2)), 1000 + rng.randint(-5, 5)) if rng.random() < .12 else (0, 0)
        expire = now_ms // 1000 + rng.randint(1, 12) if tif in (1, 4) and rng.random() < .2 else 0
        return market, place(market, side, price, rng.randint(1000, 4000), tif, rng.randint(0, 3), rng.choice((b'', b'a', b'b', b'cc')),
                             expire, trigger, rng.choice((0, 0, 1, 2, 5)), rng.randint(0, 1))

    def any_target(market):
        if seqs and rng.random() < .4:
            return target(market, seq=rng.choice(seqs[-40:]))
        return target(market, client_id=rng.choice((b'a', b'b', b'cc', b'zz')))
    actions = []
    for _ in range(rng.randint(1, 4)):
        luck = rng.random()
        market, body = any_place()
        if luck < .72:
            actions.append(action(1, body))
        elif luck < .82:
            actions.append(action(2, any_target(market)))
        elif luck < .94:
            keep = field(3, 1) if rng.random() < .6 else b''
            actions.append(action(4, message_field(1, any_target(market)) + message_field(2, body) + keep))
        elif luck < .97:
            actions.append(action(3, field(1, rng.choice((0, 1))) + field(2, rng.randint(0, 2))))
        else:
            at = 0 if rng.random() < .3 else now_ms + rng.randint(500, 9000)
            actions.append(action(5, field(1, at)))
    return actions


def run(urls, keys, seed, blocks, each_block):
    nodes = [Rpc(url) for url in urls]
    status = nodes[0].comet('status')
    chain = status['node_info']['network'], int(os.environ.get('EVM_CHAIN_ID', '2517'))
    traders = [Trader(key, chain) for key in keys]
    rng = random.Random(seed)
    height = first = int(status['sync_info']['latest_block_height'])
    seqs, sent, refused = list(range(1, 60)), 0, {}
    while height < first + blocks:
        now_ms = time_ms(status['sync_info']['latest_block_time'])
        for _ in range(each_block):
            trader = rng.choice(traders)
            wire = trader.wire(actions_of(rng, now_ms, seqs), rng.choice((1, 2)), rng.choice((0, 0, 1)), now_ms, height + rng.choice((3, 20)))
            try:
                reply = rng.choice(nodes).comet('broadcast_tx_sync', tx='0x' + wire.hex())
            except RpcError as error:
                reply = {'code': str(error)[-80:]}
            if reply['code'] == 0:
                sent += 1
            else:
                refused[reply['code']] = refused.get(reply['code'], 0) + 1
        while True:
            status = nodes[0].comet('status')
            if int(status['sync_info']['latest_block_height']) > height:
                break
            time.sleep(.05)
        height = int(status['sync_info']['latest_block_height'])
        seqs.extend(range(seqs[-1] + 1, seqs[-1] + each_block))
    print(f'sent {sent} orders from height {first} to {height}, seed {seed}; refused by code: {refused}')


def main(arguments):
    parser = argparse.ArgumentParser(prog='audit trade')
    parser.add_argument('--comet', action='append', required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--blocks', type=int, default=20)
    parser.add_argument('--each-block', type=int, default=20)
    given = parser.parse_args(arguments)
    keys = [bytes.fromhex(key.removeprefix('0x')) for key in os.environ['KEYS'].split(',')]
    run(given.comet, keys, given.seed, given.blocks, given.each_block)
    return 0
