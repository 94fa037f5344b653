"""Recovery of the key that made an ECDSA signature, in plain integers."""
P = 2 ** 256 - 2 ** 32 - 977
N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141
G = (0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
     0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8)


def _double(point):
    x, y, z = point
    if not y:
        return 0, 1, 0
    yy = y * y % P
    s = 4 * x * yy % P
    m = 3 * x * x % P
    x3 = (m * m - 2 * s) % P
    return x3, (m * (s - x3) - 8 * yy * yy) % P, 2 * y * z % P


def _add(one, two):
    if not one[2]:
        return two
    if not two[2]:
        return one
    x1, y1, z1 = one
    x2, y2, z2 = two
    zz1, zz2 = z1 * z1 % P, z2 * z2 % P
    u1, u2 = x1 * zz2 % P, x2 * zz1 % P
    s1, s2 = y1 * z2 * zz2 % P, y2 * z1 * zz1 % P
    if u1 == u2:
        return _double(one) if s1 == s2 else (0, 1, 0)
    h, r = u2 - u1, s2 - s1
    hh = h * h % P
    hhh, v = h * hh % P, u1 * hh % P
    x3 = (r * r - hhh - 2 * v) % P
    return x3, (r * (v - x3) - s1 * hhh) % P, h * z1 * z2 % P


def combine(a, one, b, two):
    """a x one + b x two as (x, y), None for the point at infinity; the points are affine."""
    one, two = (*one, 1), (*two, 1)
    both = _add(one, two)
    point = (0, 1, 0)
    for bit in range(max(a.bit_length(), b.bit_length()) - 1, -1, -1):
        point = _double(point)
        which = (a >> bit & 1, b >> bit & 1)
        if which != (0, 0):
            point = _add(point, {(1, 0): one, (0, 1): two, (1, 1): both}[which])
    x, y, z = point
    if not z:
        return None
    inverse = pow(z, -1, P)
    return x * inverse ** 2 % P, y * inverse ** 3 % P


def recover(digest, r, s, v):
    """The public key (x, y), or None where there is none. x of R is r itself, the parity of its y is v."""
    square = (r ** 3 + 7) % P
    y = pow(square, (P + 1) // 4, P)
    if r >= P or y * y % P != square:
        return None
    if y & 1 != v:
        y = P - y
    inverse = pow(r, -1, N)
    return combine(s * inverse % N, (r, y), -int.from_bytes(digest, 'big') * inverse % N, G)


def sign(digest, key, nonce):
    """(r, s, v) with a low s, for tests. `nonce` is a secret number that is used once."""
    x, y = combine(nonce, G, 0, G)
    r = x % N
    s = pow(nonce, -1, N) * (int.from_bytes(digest, 'big') + r * key) % N
    v = y & 1
    return (r, s, v) if s <= N // 2 else (r, N - s, v ^ 1)
