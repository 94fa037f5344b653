"""The root of a market's book."""
from codec import merkle, sha
from state import BUCKETS, u64

_EMPTY = sha(b'')


class BookRoot:
    """Values of open orders by bucket; hashes of buckets that did not change are kept."""

    def __init__(self):
        self.buckets = [{} for _ in range(BUCKETS)]
        self.hashes = [_EMPTY] * BUCKETS
        self.dirty = set()
        self.known = None

    def put(self, seq, value):
        self.buckets[seq % BUCKETS][seq] = value
        self.dirty.add(seq % BUCKETS)

    def remove(self, seq):
        del self.buckets[seq % BUCKETS][seq]
        self.dirty.add(seq % BUCKETS)

    def root(self):
        if self.dirty or self.known is None:
            for bucket in self.dirty:
                held = self.buckets[bucket]
                self.hashes[bucket] = sha(b''.join(u64(seq) + held[seq] for seq in sorted(held)))
            self.dirty.clear()
            self.known = merkle(self.hashes)
        return self.known
