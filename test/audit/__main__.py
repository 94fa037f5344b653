"""python3 test/audit vectors | run | trade | lies"""
import sys

USAGE = '''usage: python3 test/audit vectors [signatures|extensions|envelopes|roots|plan|matching ...]
       python3 test/audit run --help
       python3 test/audit trade --help
       python3 test/audit lies --help'''


def main(arguments):
    command, rest = arguments[:1], arguments[1:]
    if command == ['vectors']:
        import vectors
        return vectors.run(rest or vectors.ALL)
    if command == ['run']:
        import audit
        return audit.main(rest)
    if command == ['trade']:
        import trade
        return trade.main(rest)
    if command == ['lies']:
        import lies
        return lies.main(rest)
    print(USAGE)
    return 2


sys.exit(main(sys.argv[1:]))
