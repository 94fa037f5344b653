"""Encodings: varints, strict protobuf, RLP, and CometBFT's Merkle tree (RFC 6962)."""
from hashlib import sha256


class Malformed(ValueError):
    """Bytes that are not what the document asks for."""


def sha(data):
    return sha256(data).digest()


# --- varints -----------------------------------------------------------------------------------------------------------

def uvarint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_uvarint(data, at, bits=64):
    """The value and the place behind it. Only the shortest form of a number below 2^bits is taken."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Malformed('varint')
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    if (byte == 0 and shift > 7) or value >> bits:
        raise Malformed('varint')
    return value, at


# --- protobuf ----------------------------------------------------------------------------------------------------------

def fields(data):
    """Yields (number, wire type, value) of a message whose fields have wire types 0 and 2 alone, without a judgement of their order."""
    at = 0
    while at < len(data):
        tag, at = read_uvarint(data, at, 32)
        number, wire = tag >> 3, tag & 7
        if number == 0 or wire not in (0, 2):
            raise Malformed('tag')
        value, at = read_uvarint(data, at)
        if wire == 2:
            if at + value > len(data):
                raise Malformed('length')
            value, at = data[at:at + value], at + value
        yield number, wire, value


def decode(schema, data):
    """
    A message in the one canonical encoding, as a dict. `schema` maps a number to (name, kind, how): kind is 'u32', 'u64', 'bool',
    'bytes' or the schema of a message; how is '', 'repeated', 'oneof' or 'message' (the members of a schema with 'oneof' are of one
    oneof).
    What is left out is 0, False, b'', None (a message, a member of a oneof) or [].
    """
    message = {}
    for name, kind, how in schema.values():
        default = {'u32': 0, 'u64': 0, 'bool': False, 'bytes': b''}.get(kind) if isinstance(kind, str) else None
        message[name] = [] if how == 'repeated' else None if how == 'oneof' else default
    last, chosen = 0, False
    for number, wire, value in fields(data):
        if number not in schema:
            raise Malformed(f'unknown field {number}')
        name, kind, how = schema[number]
        if number < last or (number == last and how != 'repeated'):
            raise Malformed(f'order of field {number}')
        last = number
        if how == 'oneof':
            if chosen:
                raise Malformed('two members of a oneof')
            chosen = True
        if kind in ('u32', 'u64', 'bool'):
            if wire != 0 or (kind == 'u32' and value >> 32) or (kind == 'bool' and value > 1):
                raise Malformed(f'field {number}')
            if value == 0 and how != 'oneof':
                raise Malformed(f'field {number} is written though it is 0')
            message[name] = bool(value) if kind == 'bool' else value
            continue
        if wire != 2:
            raise Malformed(f'field {number}')
        if kind == 'bytes':
            if value == b'' and how == '':
                raise Malformed(f'field {number} is written though it is empty')
        else:
            value = decode(kind, value)
        if how == 'repeated':
            message[name].append(value)
        else:
            message[name] = value
    return message


def field(number, value):
    """A field as a proto3 encoder writes it: nothing where it is 0 or empty."""
    if value is None or value == 0 or value == b'':
        return b''
    if isinstance(value, int):
        return uvarint(number << 3) + uvarint(value if value >= 0 else value + (1 << 64))
    return message_field(number, value)


def message_field(number, value):
    """A field of wire type 2 that is written also where it is empty."""
    return uvarint(number << 3 | 2) + uvarint(len(value)) + value


def sfixed64(number, value):
    return uvarint(number << 3 | 1) + value.to_bytes(8, 'little', signed=True) if value else b''


# --- RLP ---------------------------------------------------------------------------------------------------------------

def integer(value):
    return value.to_bytes((value.bit_length() + 7) // 8, 'big')


def rlp(item):
    """Of bytes, integers and lists of them."""
    if isinstance(item, (list, tuple)):
        body = b''.join(rlp(each) for each in item)
        return _rlp_head(len(body), 0xc0) + body
    data = integer(item) if isinstance(item, int) else bytes(item)
    return data if len(data) == 1 and data[0] < 128 else _rlp_head(len(data), 0x80) + data


def _rlp_head(length, base):
    if length < 56:
        return bytes([base + length])
    size = integer(length)
    return bytes([base + 55 + len(size)]) + size


def from_rlp(data):
    item, at = _rlp_item(data, 0)
    if at != len(data):
        raise Malformed('bytes behind the RLP')
    return item


def _rlp_item(data, at):
    if at >= len(data):
        raise Malformed('RLP')
    head = data[at]
    if head < 128:
        return data[at:at + 1], at + 1
    base = 0x80 if head < 0xc0 else 0xc0
    length, at = head - base, at + 1
    if length > 55:
        size = data[at:at + length - 55]
        at += length - 55
        length = int.from_bytes(size, 'big')
        if length < 56 or size[0] == 0:
            raise Malformed('RLP')
    end = at + length
    if end > len(data):
        raise Malformed('RLP')
    if base == 0x80:
        if length == 1 and data[at] < 128:
            raise Malformed('RLP')
        return data[at:end], end
    items = []
    while at < end:
        item, at = _rlp_item(data, at)
        items.append(item)
    if at != end:
        raise Malformed('RLP')
    return items, end


def number(data):
    """An integer of a state value: without leading zeros."""
    if not isinstance(data, bytes) or data[:1] == b'\0':
        raise Malformed('integer')
    return int.from_bytes(data, 'big')


# --- Merkle ------------------------------------------------------------------------------------------------------------

def merkle(leaves):
    """Root of CometBFT's simple Merkle tree."""
    if not leaves:
        return sha(b'')
    return _merkle([sha(b'\0' + leaf) for leaf in leaves])


def _merkle(hashes):
    if len(hashes) == 1:
        return hashes[0]
    split = 1 << (len(hashes) - 1).bit_length() - 1
    return sha(b'\1' + _merkle(hashes[:split]) + _merkle(hashes[split:]))
