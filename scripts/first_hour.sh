#!/usr/bin/env bash
# The first hour of a new user, on a bare machine: clone, set up, start twice, index by path and by revision, ask.
# A proxy that nobody serves is set throughout, but for the package registry. PYTHON names the interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
work="$(mktemp -d)"
export CGRAG_DATA_DIR="$work/data"
for name in $(compgen -e CGRAG_ | grep -v '^CGRAG_DATA_DIR$' || true); do unset "$name"; done

step() { printf '● %s\n' "$*"; }
fail() { printf '✗ %s\n' "$*" >&2; exit 1; }
# Prints what a command says, which has to hold a text.
expect() {
  local text="$1" said
  shift
  said="$("$@" 2>&1)" || fail "$* ended with $?: $said"
  grep -qF -- "$text" <<<"$said" || fail "$* does not say '$text': $said"
}
finish() {
  [ -x "$work/cgrag/.venv/bin/cgrag" ] && "$work/cgrag/.venv/bin/cgrag" down >/dev/null 2>&1
  rm -rf "$work"
}
trap finish EXIT

step "clone and set up with $("$python" --version)"
git clone --quiet . "$work/cgrag"
make --no-print-directory -C "$work/cgrag" setup PYTHON="$python"
export http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 grpc_proxy=http://127.0.0.1:9
cgrag="$work/cgrag/.venv/bin/cgrag"

step "start, and start again"
expect "running as process" "$cgrag" up --detach --free-ports
expect "Already running as process" "$cgrag" up
expect "Already running as process" "$cgrag" up --detach

step "index a folder, and a revision of it"
shop="$work/shop"
cp -r tests/fixtures/shop "$shop"
commit() { git -C "$shop" -c user.name=t -c user.email=t@example.org commit --quiet --message "$1"; }
git -C "$shop" init --quiet && git -C "$shop" add . && commit one && git -C "$shop" tag v1
printf 'def added_later():\n    return 1\n' >"$shop/later.py"
git -C "$shop" add . && commit two
expect "shop indexed" "$cgrag" index "$shop" --wait all
expect "shop-v1 indexed" "$cgrag" index "$shop" --revision v1 --name shop-v1

step "ask"
expect "shop/pricing.py" "$cgrag" ask "What does the discount function do?" --repo shop
expect "later.py" "$cgrag" symbol added_later --repo shop
! "$cgrag" symbol added_later --repo shop-v1 >/dev/null 2>&1 || fail "the revision holds what came later"
said="$("$cgrag" ask "What does the discount function do?" --repo shop-v1 2>/dev/null)"
! grep -q degraded <<<"$said" || fail "called degraded: $said"
said="$("$cgrag" status)"
! grep -qi "vectors\|searched without" <<<"$said" || fail "vectors that nobody wanted: $said"

step "switch search by meaning on"
"$cgrag" down >/dev/null
export CGRAG_EMBEDDING_PROVIDER=local
expect "running as process" "$cgrag" up --detach --free-ports
expect "vectors" "$cgrag" index "$shop" --wait all
for wait in 1 1 2 2 4 fail; do  # the retriever takes up new layers within seconds
  said="$("$cgrag" search "take goods from the shelf" --repo shop 2>&1)" || true
  if grep -q vectors <<<"$said"; then break; fi
  [ "$wait" != fail ] || fail "the vectors were not searched: $said"
  sleep "$wait"
done
said="$("$cgrag" status)"
! grep -q "searched without" <<<"$said" || fail "a layer does not open: $said"
step "done"
