"""keccak256 and RIPEMD-160 in plain integers: some thousand hashes a second, enough for small audits."""
from struct import unpack

_MASK = (1 << 64) - 1


def _round_constants():
    constants, state = [], 1
    for _ in range(24):
        constant = 0
        for j in range(7):
            if state & 1:
                constant |= 1 << (1 << j) - 1
            state = state << 1 ^ (0x171 if state & 0x80 else 0)
        constants.append(constant)
    return constants


_CONSTANTS = _round_constants()


def _rotate(value, by):
    by %= 64
    return (value << by | value >> 64 - by) & _MASK


def _permute(a):
    """Keccak-f[1600] on 25 lanes, lane x + 5y."""
    for constant in _CONSTANTS:
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        d = [c[(x - 1) % 5] ^ _rotate(c[(x + 1) % 5], 1) for x in range(5)]
        a = [a[i] ^ d[i % 5] for i in range(25)]
        x, y, lane = 1, 0, a[1]
        for t in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            lane, a[x + 5 * y] = a[x + 5 * y], _rotate(lane, (t + 1) * (t + 2) // 2)
        a = [a[i] ^ (~a[(i % 5 + 1) % 5 + i // 5 * 5] & a[(i % 5 + 2) % 5 + i // 5 * 5]) for i in range(25)]
        a[0] ^= constant
    return a


def keccak256(data):
    rate = 136
    padded = bytearray(data) + b'\1' + bytes(-(len(data) + 1) % rate)
    padded[-1] |= 0x80
    state = [0] * 25
    for at in range(0, len(padded), rate):
        for i, lane in enumerate(unpack('<17Q', padded[at:at + rate])):
            state[i] ^= lane
        state = _permute(state)
    return b''.join(lane.to_bytes(8, 'little') for lane in state[:4])


_R1 = [*range(16), 7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8, 3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12,
       1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2, 4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13]
_R2 = [5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12, 6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2,
       15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13, 8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14,
       12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11]
_S1 = [11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8, 7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12,
       11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5, 11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12,
       9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6]
_S2 = [8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6, 9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11,
       9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5, 15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8,
       8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11]
_K1 = [0, 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xa953fd4e]
_K2 = [0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9, 0]


def _mix(j, x, y, z):
    return (x ^ y ^ z, x & y | ~x & z, (x | ~y) ^ z, x & z | y & ~z, x ^ (y | ~z))[j]


def _turn(value, by):
    value &= 0xffffffff
    return (value << by | value >> 32 - by) & 0xffffffff


def _line(state, words, order, shifts, constants, is_right):
    a, b, c, d, e = state
    for j in range(80):
        f = _mix(4 - j // 16 if is_right else j // 16, b, c, d)
        t = _turn(a + f + words[order[j]] + constants[j // 16], shifts[j]) + e & 0xffffffff
        a, b, c, d, e = e, t, b, _turn(c, 10), d
    return a, b, c, d, e


def ripemd160(data):
    h = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
    padded = data + b'\x80' + bytes(-(len(data) + 9) % 64) + (8 * len(data)).to_bytes(8, 'little')
    for at in range(0, len(padded), 64):
        words = unpack('<16I', padded[at:at + 64])
        left = _line(h, words, _R1, _S1, _K1, False)
        right = _line(h, words, _R2, _S2, _K2, True)
        h = [h[(i + 1) % 5] + left[(i + 2) % 5] + right[(i + 3) % 5] & 0xffffffff for i in range(5)]
    return b''.join(word.to_bytes(4, 'little') for word in h)
