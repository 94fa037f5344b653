#!/usr/bin/env bash
# Runs the local chain. On a terminal it gets a process group of its own: Ctrl-C then reaches the chain alone, which
# stops in order, and make ends with its status instead of being interrupted itself.
cd "$(dirname "$0")/.." || exit 1
if [ -t 0 ]; then
  set -m
  ./chain devnet "$@"
else
  exec ./chain devnet "$@"
fi
