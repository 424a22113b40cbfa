#!/usr/bin/env bash
# Builds the four images with buildah, starts each one, waits until its health check passes, ends it by SIGTERM, and prints
# its size. Ends with 1 at the first image that does not build, start, pass or end with 0.
#
# Settings are variables:
#   BASE      image to build on; by default that of deploy/Dockerfile, from Docker Hub. "debian" makes one of Debian's
#             packages with mmdebstrap, for machines that reach no registry of images.
#   SERVICES  which ones; by default all four.
#   STORAGE   folder for images instead of buildah's own, where they would stay for `buildah push`.
#   CA_FILE   certificates that builds trust, where a proxy ends TLS.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v buildah >/dev/null || { echo "buildah is not here (apt-get install buildah)" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
storage=()
[ -z "${STORAGE:-}" ] || storage=(--root "$STORAGE/root" --runroot "$STORAGE/run")
# Without a daemon, and within containers: what a build runs shares this machine's network, and no privileges are needed.
options=(--isolation chroot)
if [ -n "${CA_FILE:-}" ]; then
  printf '[global]\ncert = /ca.pem\n' >"$work/pip.conf"
  options+=(--volume "$(realpath "$CA_FILE"):/ca.pem:ro" --volume "$work/pip.conf:/etc/pip.conf:ro")
fi
arguments=()
[ -z "${BASE:-}" ] || arguments=(--build-arg "BASE=$BASE")

buildah_here() { buildah "${storage[@]}" "$@"; }

if [ "${BASE:-}" = debian ]; then
  arguments=(--build-arg BASE=localhost/cgrag-base)
  command -v mmdebstrap >/dev/null || { echo "BASE=debian needs mmdebstrap (apt-get install mmdebstrap)" >&2; exit 1; }
  mmdebstrap --quiet --variant=minbase --include=python3-venv,python3-pip,python-is-python3,ca-certificates \
    bookworm "$work/base.tar"
  container=$(buildah_here from scratch)
  buildah_here add --quiet "$container" "$work/base.tar" / >/dev/null
  buildah_here commit --quiet --rm "$container" localhost/cgrag-base >/dev/null
  rm "$work/base.tar"
fi

# Runs in the container: the command of the image, and its health check until that passes.
cat >"$work/try" <<'TRY'
(sh -c 'exec python -m "$CGRAG_SERVICE"') & service=$!
for second in $(seq 60); do
  kill -0 $service 2>/dev/null || { echo "ended before it was healthy"; exit 1; }
  if python /app/healthcheck.py >/dev/null 2>&1; then
    kill -TERM $service
    wait $service || { echo "ended with $? after SIGTERM"; exit 1; }
    echo "healthy after $second s"
    exit 0
  fi
  sleep 1
done
echo "not healthy within 60 s"
kill -KILL $service
exit 1
TRY

for service in ${SERVICES:-indexer classifier retriever orchestrator}; do
  image=localhost/cgrag-$service
  buildah_here bud --quiet --layers "${options[@]}" "${arguments[@]}" --build-arg SERVICE="$service" \
    -t "$image" -f deploy/Dockerfile . >"$work/log" 2>&1 || { cat "$work/log" >&2; echo "$service: does not build" >&2; exit 1; }
  container=$(buildah_here from "$image")
  told=$(buildah_here run --isolation chroot --user 10001:10001 "$container" -- sh -c "$(cat "$work/try")" 2>"$work/log") ||
    { cat "$work/log" >&2; echo "$service: $told" >&2; exit 1; }
  buildah_here rm "$container" >/dev/null
  echo "$service: $(buildah_here images --format '{{.Size}}' "$image"), $(tail -1 <<<"$told")"
done
