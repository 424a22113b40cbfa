#!/usr/bin/env bash
# Puts prometheus and promtool below .venv/prometheus, from the Debian package, without installing it.
# Tests that need them skip where neither this nor the PATH has them.
set -euo pipefail
cd "$(dirname "$0")/.."
if command -v prometheus >/dev/null && command -v promtool >/dev/null; then
  exit 0
fi
target="$PWD/.venv/prometheus"
[ -x "$target/usr/bin/promtool" ] && exit 0
command -v apt-get >/dev/null || { echo "prometheus: not on the PATH and no apt-get here; its tests will skip"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download prometheus >/dev/null 2>&1 || { apt-get update -qq && apt-get download prometheus >/dev/null; } || {
  echo "prometheus: the package cannot be fetched; its tests will skip"
  exit 0
}
mkdir -p "$target"
dpkg -x prometheus_*.deb "$target"
echo "prometheus: unpacked below .venv/prometheus"
