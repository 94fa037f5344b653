#!/bin/sh
# Runs a command with Node 24 and the tools of the project on the PATH.
cd "$(dirname "$0")/.." || exit 1
. scripts/environment.sh
node=$(find_node) || { echo "Node 24 is missing: run \"make setup\"" >&2; exit 1; }
PATH="$(dirname "$node"):$PWD/node_modules/.bin:$PATH"
export PATH
exec "$@"
