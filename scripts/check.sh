#!/usr/bin/env bash
# What reading the tree can tell: format, layers, docs, sizes, modes, clang-tidy, that CUDA compiles;
# and that tokenizing takes no more instructions than it did.
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
  cmake --preset cpu-release >/dev/null && scripts/tidy.py build
}

cuda() {
  command -v /usr/local/cuda/bin/nvcc >/dev/null || {
    echo "not compiled: there is no CUDA toolkit in /usr/local/cuda"
    return 0
  }
  scripts/build.sh gpu-release rose_kernels
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
