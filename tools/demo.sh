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

say "Generating from it: two prompts, one of them longer than a block of 256 tokens, in one batch"
# The prompt of 37 tokens in golden.safetensors, and the 24 tokens that the reference implementation generates from it.
prompt=20,163,241,173,59,131,96,84,131,239,234,120,151,55,150,217,195,199,67,227,230,109,245,100,245,57,1,14,120,103
prompt+=,164,93,213,83,96,74,164
expected=173,224,137,133,133,135,19,181,10,128,27,224,85,137,133,133,133,135,191,186,137,133,133,133
long=$(seq -s, 1 255),$(seq -s, 1 45)
build/bin/mm01-run generate build/demo/tiny-a.so --weights test/golden/tiny-a --max-new-tokens 24 \
  --prompt-ids $prompt --prompt-ids "$long" | tee build/demo/tokens
[ "$(head -n 1 build/demo/tokens)" = $expected ] || {
  echo "demo.sh: the first line above differs from the reference implementation's tokens, $expected" >&2
  exit 1
}

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

say "Tokens generated from the compiled checkpoint (the first line is the reference implementation's, too)"
cat build/demo/tokens
say "Rates of text-160m on $(nproc) processors"
cat build/demo/rates
