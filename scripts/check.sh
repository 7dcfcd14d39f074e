#!/usr/bin/env bash
# What reading the tree can tell: format, layers, docs, sizes, modes, clang-tidy; that the CUDA build
# compiles and what of it needs no GPU works; that tokenizing takes no more instructions than it did.
# Runs every check, then says which failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

# Soft and hard limit on the lines of a source that is written by hand.
lines_advised=300
lines_max=600

sizes() {
  find src apps bench plugins tests scripts -type f -regex '.*\.\(cc\|h\|cu\|cuh\|py\|sh\)' -print0 |
    xargs -0 wc -l |
    awk -v advised=$lines_advised -v max=$lines_max '
      $2 == "total" { next }
      $1 > max { print $2 ": " $1 " lines, more than " max; bad = 1; next }
      $1 > advised { print "warning: " $2 ": " $1 " lines, more than " advised }
      END { exit bad }'
}

# What starts with "#!" is meant to be run as it stands.
modes() {
  local bad=0 mode file
  while read -r mode _ _ file; do
    [[ $mode == 100644 && $(head -c 2 "$file" | tr -d '\0') == '#!' ]] || continue
    echo "$file: starts with #! and is not executable"
    bad=1
  done < <(git ls-files --stage)
  return $bad
}

tidy() {
  # What our sources include of the generated code must be there to be read.
  scripts/build.sh cpu-release proto && scripts/tidy.py build
}

cuda() {
  PATH=$PATH:/usr/local/cuda/bin command -v nvcc >/dev/null || {
    echo "not compiled: nvcc is neither in PATH nor in /usr/local/cuda/bin"
    return 0
  }
  # What knows of CUDA; of the rest the compiler cache keeps what test.sh compiles again.
  scripts/build.sh gpu-release src/rose/all bench/all parterre &&
    ctest --test-dir build/gpu-release --output-on-failure --parallel "$(nproc)" \
      --tests-regex '^rose_(kernels_host|cuda|runtime_cuda)\.' --label-exclude gpu
}

instructions() {
  # Never with sanitizers or debug code: the counts are those of what is served.
  scripts/build.sh cpu-release tokenizer_instructions && scripts/tokenizer_instructions.py
}

failed=()
check() {
  echo "== $1"
  "${@:2}" || failed+=("$1")
}

scripts/install.sh --dev || exit 1
check format scripts/format.sh --check
check layers scripts/check_layers.py
check docs scripts/check_docs.py
check bugs scripts/check_bugs.py
check deploy scripts/check_deploy.py
check sizes sizes
check modes modes
check tidy tidy
check cuda cuda
check instructions instructions

((${#failed[@]} == 0)) || {
  echo "failed: ${failed[*]}"
  exit 1
}
echo "all checks passed"
