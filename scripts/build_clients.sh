#!/usr/bin/env bash
# Builds the clients of docs/clients for their tests: TypeScript with npm, Go and Java with Debian's packages of gRPC.
# A language whose tools are not here is left out, and says which packages bring them; its tests skip.
set -euo pipefail
cd "$(dirname "$0")/.."
built="$PWD/build/clients"
protos=$(cd protos && find cgrag -name '*.proto' ! -path '*/scip/*')

# have "<language>" "<packages>" <programs and files...>: tells what is missing.
have() {
  local language=$1 packages=$2
  shift 2
  for each in "$@"; do
    command -v "$each" >/dev/null || [ -e "$each" ] ||
      { echo "$language: not built, no $each here (apt-get install $packages)"; return 1; }
  done
}

typescript() {
  have TypeScript "nodejs npm" npm || return 0
  (cd docs/clients/typescript && npm ci --no-audit --no-fund --ignore-scripts --silent && npm run --silent build)
  echo "TypeScript: docs/clients/typescript/ask.js"
}

go_client() {
  local sources=/usr/share/gocode/src/google.golang.org
  have Go "golang-go golang-google-grpc-dev golang-google-protobuf-dev golang-github-golang-protobuf-1-5-dev \
protobuf-compiler protoc-gen-go protoc-gen-go-grpc" \
    go protoc protoc-gen-go protoc-gen-go-grpc "$sources/grpc" "$sources/protobuf" || return 0
  # The contracts name no go_package, so that each file is mapped to the package of its folder.
  local mapped="" each
  for each in $protos; do mapped+=",M$each=$(dirname "$each")"; done
  rm -rf "$built/go" && mkdir -p "$built/go/src/ask"
  (cd protos && protoc -I . --go_out="$built/go/src" --go_opt="${mapped#,}" \
    --go-grpc_out="$built/go/src" --go-grpc_opt="${mapped#,}" $protos)
  cp docs/clients/go/ask.go "$built/go/src/ask"
  GO111MODULE=off GOFLAGS= GOPATH="$built/go:/usr/share/gocode" go build -o "$built/go/ask" ask
  echo "Go: build/clients/go/ask"
}

java_client() {
  local jars=/usr/share/java each
  have Java "default-jdk-headless libgrpc-java libprotobuf-java libnetty-java libperfmark-java \
libgeronimo-annotation-1.3-spec-java protobuf-compiler protobuf-compiler-grpc-java-plugin" \
    javac protoc grpc_java_plugin "$jars"/{grpc-netty,protobuf,netty-all,perfmark-api,geronimo-annotation-1.3-spec}.jar || return 0
  rm -rf "$built/java" && mkdir -p "$built/java/src" "$built/java/classes"
  local rpc
  rpc=$(.venv/bin/python -c 'import google.rpc, pathlib; print(pathlib.Path(list(google.rpc.__path__)[0]).parents[1])')
  (cd protos && protoc -I . -I "$rpc" --plugin=protoc-gen-grpc-java="$(command -v grpc_java_plugin)" \
    --java_out="$built/java/src" --grpc-java_out="$built/java/src" $protos \
    google/rpc/status.proto google/rpc/error_details.proto)
  local path="$built/java/classes"
  for each in grpc-{api,core,context,stub,protobuf,protobuf-lite,netty} protobuf guava failureaccess netty-all perfmark-api \
    geronimo-annotation-1.3-spec netty-{buffer,codec,codec-http,codec-http2,codec-socks,common,handler,handler-proxy,resolver,transport}; do
    path+=":$jars/$each.jar"
  done
  find "$built/java/src" -name '*.java' >"$built/java/sources"
  javac -J-Xmx1g -nowarn -proc:none -Xlint:none -cp "$path" -d "$built/java/classes" @"$built/java/sources" docs/clients/java/Ask.java
  printf '#!/bin/sh\nexec java -cp "%s" Ask "$@"\n' "$path" >"$built/java/ask"
  chmod +x "$built/java/ask"
  echo "Java: build/clients/java/ask"
}

typescript
go_client
java_client
