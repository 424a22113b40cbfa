#!/usr/bin/env bash
# Puts prometheus, promtool and redis-server below .venv/servers, from Debian's packages, without installing them.
# Tests that need them skip where neither this nor the PATH has them.
set -euo pipefail
cd "$(dirname "$0")/.."
target="$PWD/.venv/servers"

have() {
  command -v "$1" >/dev/null || [ -x "$target/bin/$1" ]
}

# fetch "<programs>" <packages...>: unpacks the packages and makes each program start with the libraries beside it.
fetch() {
  local programs=$1 work
  shift
  command -v apt-get >/dev/null || { echo "$programs: not on the PATH and no apt-get here; their tests will skip"; return; }
  work=$(mktemp -d)
  if (cd "$work" && apt-get download "$@" || { apt-get update -qq && apt-get download "$@"; }) >/dev/null 2>&1; then
    mkdir -p "$target/bin"
    for package in "$work"/*.deb; do
      dpkg -x "$package" "$target"
    done
    for program in $programs; do
      printf '#!/bin/sh\nLD_LIBRARY_PATH=$(echo "%s"/usr/lib/*-linux-gnu) exec "%s/usr/bin/%s" "$@"\n' \
        "$target" "$target" "$program" >"$target/bin/$program"
      chmod +x "$target/bin/$program"
    done
    echo "$programs: unpacked below .venv/servers"
  else
    echo "$programs: the packages cannot be fetched; their tests will skip"
  fi
  rm -rf "$work"
}

have prometheus && have promtool || fetch "prometheus promtool" prometheus
have valkey-server || have redis-server || fetch redis-server redis-server redis-tools libjemalloc2 liblzf1
