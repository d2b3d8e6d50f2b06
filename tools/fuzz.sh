#!/usr/bin/env bash
# usage: tools/fuzz.sh [SECONDS | --runs N] [TARGET]
#
# Fuzzes the readers of foreign files under the address and undefined-behaviour sanitizers: for SECONDS (30) each, or
# until N inputs have been executed. TARGET is safetensors, config, program or mlir; without it all of them, as many at a
# time as there are processors.
# Builds the preset `fuzz`. What is found is kept in build-fuzz/corpus for the next run; an input that crashes a reader
# stays there as TARGET-crash-…, and `build-fuzz/bin/fuzz-TARGET FILE` runs it again. Prints one line a target.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  sed -n '2s/^# //p' "$0" >&2
  exit 2
}

limit=-max_total_time=30
targets="safetensors config program mlir"
if [[ ${1-} == --runs ]]; then
  [[ ${2-} =~ ^[1-9][0-9]*$ ]] || usage
  limit=-runs=$2
  shift 2
elif [[ ${1-} =~ ^[1-9][0-9]*$ ]]; then
  limit=-max_total_time=$1
  shift
fi
if [ $# -gt 0 ]; then
  [[ $# == 1 && " $targets " == *" $1 "* ]] || usage
  targets=$1
fi

build=build-fuzz
corpus=$build/corpus
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz >/dev/null
python3 test/fuzz/seeds.py $corpus/seeds

# LLVM's headers poison memory that its library, which is not instrumented, then hands out. The rest is for speed: the
# place of each allocation can be had by running one input again without it.
export ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0:malloc_context_size=0:quarantine_size_mb=8

# One target; prints its line.
fuzz() {
  local target=$1 log=$corpus/$1.log
  mkdir -p "$corpus/$target"
  if "$build/bin/fuzz-$target" "$limit" -max_len=3000 -timeout=120 -rss_limit_mb=4096 \
    -dict="$corpus/seeds/$target.dict" -artifact_prefix="$corpus/$target-" \
    "$corpus/$target" "$corpus/seeds/$target" &>"$log"; then
    awk -v target="$target" '$1 == "Done" {print target ": " $2 " executions in " $5 " s without a failure"}' "$log"
  else
    { echo "$target: FAILED, the end of $log:" && tail -40 "$log"; } >&2
    return 1
  fi
}

export build corpus limit
export -f fuzz
printf '%s\n' $targets | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}' || exit 1
