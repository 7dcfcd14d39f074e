#!/usr/bin/env bash
# Serves a model first come, first served and then in turns, and measures with each what bulk does to
# single queries and they to it (`parterre bench beside`, about a minute each).
# PROGRAM=FILE is the program; default: build/bin/parterre. PHASE=SECONDS of each phase; default: 20.
# usage: scripts/bench_beside.sh FOLDER DEVICE [FLAG…]    FLAGs go to the server (--weights random:1)
set -euo pipefail
cd "$(dirname "$0")/.."

(($# >= 2)) || {
  sed -n 's/^# usage: /usage: /p' "$0" >&2
  exit 2
}
folder=$1 device=$2
shift 2
program=${PROGRAM:-build/bin/parterre}
log=$(mktemp)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -f "$log"' EXIT

for schedule in fcfs fair; do
  "$program" serve --model "$folder" --device "$device" --schedule "$schedule" --port 0 \
    --drain-ms 0 "$@" 2>"$log" &
  server=$!
  url=
  until [[ -n $url ]]; do
    sleep 0.2
    url=$(sed -nE 's,.*listening on (http://[^ "]+).*,\1,p' "$log")
    kill -0 "$server" 2>/dev/null || {
      cat "$log" >&2
      exit 1
    }
  done
  printf '## %s on %s, %s\n\n' "$(basename "$folder")" "$device" "$schedule"
  "$program" bench beside --url "$url" --seconds "${PHASE:-20}"
  echo
  kill "$server"
  wait "$server"
  server=
done
