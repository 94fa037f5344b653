"""Ed25519 by ZIP-215: every encoding of a point is taken, s is below the order, and the equation is multiplied by the cofactor 8."""
from functools import lru_cache
from hashlib import sha512

P = 2 ** 255 - 19
L = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
_ROOT = pow(2, (P - 1) // 4, P)
_ZERO = (0, 1, 1, 0)


def _add(one, two):
    """Extended coordinates (x, y, z, t); the formula holds for all points, also equal ones."""
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = two
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * D * t1 * t2 % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def decompress(data):
    """A point of its 32 bytes; None where there is none. y may be P or more, and x = 0 may have either sign."""
    y = int.from_bytes(data, 'little')
    sign, y = y >> 255, (y & (1 << 255) - 1) % P
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * v ** 3 * pow(u * v ** 7, (P - 5) // 8, P) % P
    if (v * x * x - u) % P:
        x = x * _ROOT % P
        if (v * x * x - u) % P:
            return None
    if x & 1 != sign:
        x = -x % P
    return x, y, 1, x * y % P


class _Table:
    """Multiples of one point, for quick products: 64 windows of 4 bits."""

    def __init__(self, point):
        self.windows = []
        for _ in range(64):
            row = [_ZERO]
            for _ in range(15):
                row.append(_add(row[-1], point))
            self.windows.append(row)
            point = _add(row[-1], point)

    def times(self, scalar):
        point = _ZERO
        for row in self.windows:
            if scalar & 15:
                point = _add(point, row[scalar & 15])
            scalar >>= 4
        return point


@lru_cache(maxsize=1024)
def _table(key):
    point = decompress(key)
    return point and _Table(point)


_BASE = bytes([0x58]) + bytes([0x66]) * 31


@lru_cache(maxsize=65536)
def verify(key, message, signature):
    if len(key) != 32 or len(signature) != 64:
        return False
    table, r = _table(key), decompress(signature[:32])
    s = int.from_bytes(signature[32:], 'little')
    if table is None or r is None or s >= L:
        return False
    k = int.from_bytes(sha512(signature[:32] + key + message).digest(), 'little') % L
    x, y, z, t = _add(table.times(k), r)
    rest = _add(_table(_BASE).times(s), (-x % P, y, z, -t % P))
    for _ in range(3):
        rest = _add(rest, rest)
    return rest[0] % P == 0 and (rest[1] - rest[2]) % P == 0
