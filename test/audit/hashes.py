"""keccak256 and RIPEMD-160: of pycryptodome where it is installed, else written out."""
try:
    from Crypto.Hash import RIPEMD160, keccak

    def keccak256(data):
        return keccak.new(digest_bits=256, data=data).digest()

    def ripemd160(data):
        return RIPEMD160.new(data).digest()
except ImportError:
    from slow_hashes import keccak256, ripemd160  # noqa: F401


def hash160(data):
    from hashlib import sha256
    return ripemd160(sha256(data).digest())
