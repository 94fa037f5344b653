#!/bin/sh
# Bounds a folder in which Node keeps compiled code (NODE_COMPILE_CACHE): bound-cache.sh FOLDER NODE_VERSION. Node never
# removes anything from it, and every clone of this repository adds its own. What is missing is compiled anew.
set -eu
folder=$1
version=$2
DAYS=30
MAX_KIB=1048576

[ -d "$folder" ] || exit 0
# Looking through it takes most of a second.
[ -z "$(find "$folder/.bounded" -mtime -1 2>/dev/null)" ] || exit 0

# Node names a folder by its version, the architecture, its flags and the user.
find "$folder" -mindepth 1 -maxdepth 1 -type d ! -name "$version-*" -exec rm -rf {} +
# The time is that of the writing: what is in daily use is written anew once in so many days.
find "$folder" -mindepth 2 -type f -mtime "+$DAYS" -delete
if [ "$(du -sk "$folder" | cut -f1)" -gt "$MAX_KIB" ]; then
  find "$folder" -mindepth 1 -maxdepth 1 -type d -exec rm -rf {} +
fi
touch "$folder/.bounded"
