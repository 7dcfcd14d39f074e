#!/usr/bin/env bash
# Compares random texts with Hugging Face's tokenizers, then feeds random bytes to what reads them,
# under AddressSanitizer and UBSan (docs/fuzzing.md). Prints for each fuzzer how many inputs it ran,
# what of the code they reached, and what it found; the inputs themselves stay in build/fuzz.
# usage: scripts/fuzz.sh [TEXTS [SECONDS [FUZZER…]]]
#   TEXTS: texts to compare (default 200000; 0: none); SECONDS: for each fuzzer (default 20);
#   FUZZER: as its folder below tests/fuzz/corpus is called (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."

texts=${1:-200000}
limit=${2:-20}
fuzzers=("${@:3}")
corpus=tests/fuzz/corpus
work=build/fuzz

scripts/install.sh --dev
if ((texts > 0)); then
  scripts/python_env.sh
  scripts/build.sh cpu-release parterre
  .cache/python/bin/python scripts/diff_tokenizer.py --count "$texts"
fi

((${#fuzzers[@]})) || mapfile -t fuzzers < <(ls $corpus)
scripts/build.sh cpu-fuzz "${fuzzers[@]/%/_fuzz}"

# The number behind `name` in a log; libFuzzer writes it again and again.
number() {
  grep -o "$1 [0-9]*" "$2" | tail -1 | grep -o '[0-9]*$' || echo 0
}

mkdir -p $work/findings
status=0
printf '%-16s %12s %8s %8s  %s\n' fuzzer executions edges corpus findings
for fuzzer in "${fuzzers[@]}"; do
  mkdir -p "$work/$fuzzer"
  log=$work/$fuzzer.log
  options=()
  [[ ! -f tests/fuzz/dictionaries/$fuzzer.dict ]] ||
    options=("-dict=tests/fuzz/dictionaries/$fuzzer.dict")
  outcome=none
  build/cpu-fuzz/bin/"${fuzzer}_fuzz" -max_total_time="$limit" -max_len=20000 -timeout=60 \
    -rss_limit_mb=6000 -print_final_stats=1 -artifact_prefix="$work/findings/$fuzzer-" \
    "${options[@]}" "$work/$fuzzer" "$corpus/$fuzzer" >"$log" 2>&1 || {
    status=1
    outcome="$(grep -m1 -o 'CHECK failed.*\|ERROR: [A-Za-z]*: [a-zA-Z-]*\|runtime error: .*' "$log" ||
      true) (see $log)"
  }
  printf '%-16s %12s %8s %8s  %s\n' "$fuzzer" \
    "$(number stat::number_of_executed_units: "$log")" "$(number cov: "$log")" \
    "$(find "$work/$fuzzer" -type f | wc -l)" "$outcome"
done
exit $status
