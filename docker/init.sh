#!/bin/sh
# Makes the home of a node: of a chain of its own with one funded account, or of a network with GENESIS_URL.
set -eu
home=${CHAIN_HOME:-/home/node/home}
# What the application and its gateways show each other. Run again for a home that has none: it is made, and the home is left as it is.
secret=${QUERIES_SECRET_FILE:-/home/node/secret/queries}
if [ ! -s "$secret" ]; then
  (umask 077 && head -c 32 /dev/urandom | od -A n -t x1 | tr -d ' \n' >"$secret.new")
  mv "$secret.new" "$secret"
fi
# A home is made in several steps. Where one of them failed, such as a network that could not be reached, all begin anew.
mkdir -p "$home"
unfinished=$home/init-unfinished
[ -e "$home/config/genesis.json" ] || : >"$unfinished"
overwrite=
[ ! -e "$unfinished" ] || overwrite=--overwrite
chain init "${MONIKER:-node}" --chain-id "${CHAIN_ID:-localnat-1}" $overwrite
if [ -n "${GENESIS_URL:-}" ]; then
  # It begins the chain once to see that one can: /tmp may have little room for a long file.
  TMPDIR=$home chain genesis fetch "$GENESIS_URL"
else
  # The first account of every Ethereum development tool: its key is public.
  chain genesis add-account 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 1000000nat
  chain genesis add-validator
fi
rm -f "$unfinished"
