#!/usr/bin/env bash
# usage: tools/demo.sh
#
# From a fresh clone to tokens: installs what is missing, builds, compiles the small checkpoint in test/golden for this
# CPU, and generates from it. Then it compiles a model of 154 million parameters, with random weights, and measures how
# many tokens a second it reads (prefill) and writes (decode). The programs are left in build/demo.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Build folders of one clone, and clones, share what ccache holds.
export CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD} CCACHE_NOHASHDIR=1

say() {
  printf '\n== %s\n' "$*"
}

say "Setting up and building"
tools/setup.sh
cmake --preset default
cmake --build --preset default
mkdir -p build/demo

say "Compiling the checkpoint test/golden/tiny-a for this CPU"
build/bin/mm01-compile test/golden/tiny-a -o build/demo/tiny-a.so --target=cpu --mcpu=native
build/bin/mm01-run info build/demo/tiny-a.so

say "Generating from it: two prompts, one of them longer than a block, in one batch"
long=$(seq -s, 1 300 | tr ',' '\n' | awk '{print $1 % 256}' | paste -sd,)
build/bin/mm01-run generate build/demo/tiny-a.so --weights test/golden/tiny-a \
  --prompt-ids 77,105,110,105,77,97,120 --prompt-ids "$long" --max-new-tokens 24 | tee build/demo/tokens

say "Compiling text-160m, 154 million parameters, and measuring it with random weights"
build/bin/mm01-compile text-160m -o build/demo/text-160m.so --target=cpu --mcpu=native
bench() {
  build/bin/mm01-run bench build/demo/text-160m.so --entry forward --weights random:1 "$@"
}
{
  echo "prefill, 512 tokens in one step" && bench --set tokens=512
  echo "decode, one sequence after 512 tokens" && bench --set tokens=1 --set past=512 --set iterations=50
  echo "decode, 16 sequences after 512 tokens" && bench --set tokens=1 --set past=512 --set sequences=16
} | tee build/demo/rates

say "Tokens generated from the compiled checkpoint"
cat build/demo/tokens
say "Rates of text-160m on $(nproc) processors"
cat build/demo/rates
