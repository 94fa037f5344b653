"""python3 test/audit vectors | run --help"""
import sys


def main(arguments):
    if arguments[:1] == ['vectors']:
        import vectors
        vectors.run(arguments[1:] or vectors.ALL)
        return 0
    if arguments[:1] == ['run']:
        import audit
        return audit.main(arguments[1:])
    print('usage: python3 test/audit vectors [signatures|roots|plan|matching ...]\n       python3 test/audit run --help')
    return 2


sys.exit(main(sys.argv[1:]))
