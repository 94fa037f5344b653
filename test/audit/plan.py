"""Which orders a block must hold (docs/clob-spec.md, Plan)."""
from collections import namedtuple

from attestations import Listed
from codec import sha, uvarint

MOST = (4099, 1000)
Body = namedtuple('Body', 'hash length weight')
"""Of a statically valid transaction."""
Outcome = namedtuple('Outcome', 'fault taken missing carried')


def cap_of(budget, n):
    return min(131_072, max(2_048, budget // max(1, n)))


def share_of(cap, n):
    return max(0, min(2_097_152, 3_145_728 - 196_608 - (n * (cap + 74) + 8)))


def wire_bytes(length):
    return 1 + len(uvarint(length)) + length


def fits(body, listed):
    return body is not None and sha(listed.salt + body.hash)[:12] == listed.id


def plan(listed, block, injected, share, weight_limit):
    """
    `block`: the ClobTx of the block in order, each a Body or None (not statically valid). `injected`: bodies of extensions. `fault`
    says what makes the block invalid. `taken` are the listed ids of the block's transactions; `missing` is the one at which it stops.
    """
    limit = (share, weight_limit)
    quota = [[limit[r] // (2 if phase == 0 else 4) for r in range(2)] for phase in range(3)]
    used = [[0, 0] for _ in range(3)]
    behind = [sum(1 for each in listed if each.phase == phase) for phase in range(3)]
    closed, taken, missing = [False] * 3, [], None
    for each in listed:
        f = each.phase
        behind[f] -= 1
        if closed[f]:
            continue
        for r in range(2):
            kept = sum(min(max(0, quota[q][r] - used[q][r]), MOST[r] * behind[q]) for q in range(3) if q != f and not closed[q])
            if sum(u[r] for u in used) + MOST[r] + kept > limit[r]:
                closed[f] = True
        if closed[f]:
            continue
        if len(taken) < len(block):
            body = block[len(taken)]
            if not fits(body, each):
                return Outcome(f'order {len(taken)} of the block does not fit id {each.id.hex()}', taken, None, [])
            used[f][0] += wire_bytes(body.length)
            used[f][1] += body.weight
            taken.append(each)
            continue
        if any(fits(body, each) for body in injected):
            return Outcome(f'the block stops at id {each.id.hex()} though an extension has its body', taken, None, [])
        missing = each
        break
    if len(taken) < len(block):
        return Outcome(f'order {len(taken)} of the block is not obliged', taken, None, [])
    held = set(taken)
    left = [each for each in listed if each not in held and (missing is not None or each.age > 0)]
    carried = [each._replace(age=each.age + 1) for each in left if each.age < 3]
    return Outcome(None, taken, missing, carried)


def listed_obligations(found, salt):
    return [Listed(each.id, each.phase, salt, 0, each.wide) for each in found]
