"""Values of modules and balances, proven under the application hash of a header (docs/proofs.md)."""
from codec import Malformed, from_rlp, rlp, sha
from hashes import keccak256
from light import Fault
from rpc import base64

_EMPTY_TRIE = keccak256(b'\x80')


def _nibbles(data):
    return [nibble for byte in data for nibble in (byte >> 4, byte & 15)]


def walk(root, key, nodes):
    """The value of a Merkle Patricia trie at keccak256(key), or None where it is proven absent."""
    by_hash = {keccak256(node): node for node in nodes}
    path, node = _nibbles(keccak256(key)), root
    if root == _EMPTY_TRIE:
        return None
    while True:
        if isinstance(node, bytes):
            if len(node) != 32 or node not in by_hash:
                raise Malformed('a node of the proof is missing')
            node = from_rlp(by_hash[node])
        if len(node) == 17:
            if not path:
                return node[16] or None
            node, path = node[path[0]], path[1:]
            if node == b'':
                return None
            continue
        if len(node) != 2:
            raise Malformed('a node of the proof is malformed')
        prefix = _nibbles(node[0])
        is_leaf, prefix = prefix[0] >= 2, prefix[2 - prefix[0] % 2:]
        if path[:len(prefix)] != prefix:
            return None
        path = path[len(prefix):]
        if is_leaf:
            return node[1] if not path else None
        node = node[1]


def module_address(name):
    return sha(name.encode())[:20]


class Proofs:
    """`app_hash_of(height)` is that of header height + 1, which is verified. Values are kept for the two newest heights asked for."""

    def __init__(self, comet, ethereum, app_hash_of):
        self.comet, self.ethereum, self.app_hash_of = comet, ethereum, app_hash_of
        self.roots, self.values = {}, {}

    def forget(self, height):
        self.values = {key: value for key, value in self.values.items() if key[0] >= height}
        self.roots = {key: value for key, value in self.roots.items() if key >= height}

    def value(self, module, key, height):
        """Bytes, or None where there are none."""
        at = height, module, key
        if at not in self.values:
            self.values[at] = self._ask(module, key, height)
        return self.values[at]

    def _ask(self, module, key, height):
        response = self.comet.query(f'/store/{module}/key', key, height, True)
        try:
            operations = (response.get('proofOps') or {}).get('ops') or []
            if len(operations) != 1 or operations[0]['type'] != 'eth:mpt' or int(response['height']) != height:
                raise Malformed('one operation eth:mpt is asked for')
            header, account_nodes, storage_nodes = from_rlp(base64(operations[0]['data']))
            root = self._state_root(header, height)
            account = walk(root, module_address(module), account_nodes)
            storage_root = from_rlp(account)[2] if account else _EMPTY_TRIE
            leaf = walk(storage_root, keccak256(key), storage_nodes)
        except (Malformed, ValueError, IndexError, TypeError) as error:
            raise Fault(1, f'proof of {module}/{key!r} at {height}: {error}') from None
        if leaf is None:
            if response.get('value'):
                raise Fault(1, f'{module}/{key!r} at {height} is proven absent, but the node says it has a value')
            return None
        value = base64(response.get('value'))
        if leaf != rlp(keccak256(value).lstrip(b'\0')):
            raise Fault(1, f'the value of {module}/{key!r} at {height} is not the one proven')
        return value

    def _state_root(self, header, height):
        if keccak256(header) != self.app_hash_of(height):
            raise Fault(1, f'the Ethereum header of {height} is not that of app_hash of {height + 1}')
        fields = from_rlp(header)
        if int.from_bytes(fields[8], 'big') != height:
            raise Fault(1, f'the Ethereum header of {height} has another number')
        self.roots[height] = fields[3]
        return fields[3]

    def balance(self, owner, denom, height):
        if denom != 'anat':
            return int.from_bytes(self.value('bank', b'\2' + owner + denom.encode(), height) or b'', 'big')
        at = height, 'anat', owner
        if at not in self.values:
            if height not in self.roots:
                self.value('clob', b'params', height)
            reply = self.ethereum.ethereum('eth_getProof', '0x' + owner.hex(), [], hex(height))
            try:
                account = walk(self.roots[height], owner, [bytes.fromhex(node[2:]) for node in reply['accountProof']])
            except (Malformed, ValueError) as error:
                raise Fault(1, f'eth_getProof of {owner.hex()} at {height}: {error}') from None
            self.values[at] = int.from_bytes(from_rlp(account)[1], 'big') if account else 0
        return self.values[at]
