#!/usr/bin/env bash
# From a bare machine to real embeddings: installs what is missing, builds, fetches a small model,
# serves it, asks it something over HTTP, and keeps serving until Ctrl-C.
# PORT=N serves there (default: 8080, or a free port if that is taken); ONCE=1 stops after the demo.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh
scripts/build.sh cpu-release parterre
scripts/fetch_model.sh

taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
port=${PORT:-8080}
[[ -z ${PORT:-} ]] && taken "$port" && port=0

log=build/run.log
: >"$log"
build/bin/parterre serve --model models/all-MiniLM-L6-v2 --port "$port" --drain-ms 0 \
  2> >(tee "$log" >&2) &
server=$!

# Ends the server as an orchestrator would and gives its exit status on.
stop() {
  trap '' INT TERM
  kill -TERM "$server" 2>/dev/null || true
  local status=0
  wait "$server" || status=$?
  exit "$status"
}
trap stop INT TERM

url=
for _ in {1..600}; do
  url=$(sed -nE 's,.*listening on (http://[^ "]+).*,\1,p' "$log" | head -n 1)
  [[ -n $url ]] && break
  kill -0 "$server" 2>/dev/null || stop
  sleep 0.1
done
[[ -n $url ]] || {
  echo "run.sh: the server did not say within 60 s where it listens" >&2
  kill -TERM "$server"
  exit 1
}

python3 scripts/demo.py "$url" || {
  kill -TERM "$server"
  exit 1
}
[[ ${ONCE:-} == 1 ]] && stop
echo "Serving until Ctrl-C."
wait "$server"
