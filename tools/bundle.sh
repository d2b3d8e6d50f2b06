#!/usr/bin/env bash
# usage: tools/bundle.sh FOLDER
#
# Makes a folder that checks programs for Hopper on a machine with a GPU and nothing but its driver and Python 3:
#
#   bin/mm01-run, lib/     the runtime and the libraries it needs beside glibc
#   cases/NAME/            program.so, its arguments, and what the interpreter computes in float64
#   tiny-a/                the golden checkpoint, compiled as it is and to be told experts, and those of the float model;
#                          with int8 weights too, and what the interpreter makes of those
#   bench/                 what tools/bench/hopper_*.py measure, built, and a model of full width in bf16 and int8
#   run.sh                 unpacks the above where it is still packed, runs all checks and prints one table;
#                          with the argument `speed`, measures instead (speed.sh)
#
# Needs a build (build/bin). The folder must not exist.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -eq 1 ] || { echo "usage: tools/bundle.sh FOLDER" >&2; exit 2; }
folder=$1
[ ! -e "$folder" ] || { echo "bundle.sh: $folder exists, expected a new folder" >&2; exit 1; }
for tool in mm01-compile mm01-interpret mm01-run; do
  [ -x "build/bin/$tool" ] || { echo "bundle.sh: no build/bin/$tool, expected a build" >&2; exit 1; }
done
export PATH="$PWD/build/bin:$PATH:/usr/lib/llvm-22/bin" PYTHONPATH="$PWD/test/python:$PWD/test/codegen/differential"

mkdir -p "$folder/bin" "$folder/lib" "$folder/python" "$folder/cases"
cp build/bin/mm01-run "$folder/bin/"
# Those of glibc must fit the machine's loader, so they are the machine's.
ldd build/bin/mm01-run | awk '$2 == "=>" { print $3 }' |
  grep -Ev '/(libc|libm|libdl|libpthread|librt)\.so' | xargs -I{} cp -L {} "$folder/lib/"
cp test/python/safetensors_file.py test/gpu/{check,lightning,sanitizer,softmax}.py "$folder/python/"
cp test/gpu/run.sh test/gpu/speed.sh "$folder/"

python3 test/gpu/make_cases.py "$folder/cases"
mkdir "$folder/tiny-a"
cp test/golden/tiny-a/* "$folder/tiny-a/"
mm01-compile test/golden/tiny-a --target=sm_90a -o "$folder/tiny-a/program.so"
mm01-compile test/golden/tiny-a --target=sm_90a --given-routes -o "$folder/tiny-a/given.so"
mm01-compile test/golden/tiny-a --target=sm_90a --quantize=int8 --given-routes -o "$folder/tiny-a/int8-given.so"
# The experts that the float model chooses, and what the interpreter computes with int8 weights.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mm01-compile test/golden/tiny-a --compile-to=graph -o "$scratch/graph.mlir"
mm01-compile test/golden/tiny-a --quantize=int8 --compile-to=graph -o "$scratch/int8.mlir"
for tokens in 37 300 700; do
  python3 test/golden/forward_arguments.py "$scratch/graph.mlir" test/golden/tiny-a test/golden/tiny-a/golden.safetensors \
    "ids_$tokens" "$scratch/arguments"
  mm01-interpret "$scratch/graph.mlir" --entry forward --in "$scratch/arguments" --out "$scratch/results" \
    --record-routes "$folder/tiny-a/routes_$tokens"
  mm01-interpret "$scratch/int8.mlir" --entry forward --in "$scratch/arguments" --out "$scratch/results" \
    --record-routes "$folder/tiny-a/int8_routes_$tokens"
  python3 - "$scratch/results" "$folder/tiny-a/int8_logits_$tokens" << 'EOF'
import sys, safetensors_file
logits = safetensors_file.read(sys.argv[1])["result0"]
safetensors_file.write(sys.argv[2], {"logits": ("F32", list(logits.shape), list(logits.values()))})
EOF
done

bench=$folder/bench
mkdir "$bench"
cp tools/bench/hopper_*.py "$bench/"
measured="lightning mixed decode softmax_decode sampling"
# Kernels that are measured without the runtime are assembled here.
if command -v mlir-opt >/dev/null && command -v ptxas >/dev/null; then
  measured+=" softmax grouped"
else
  echo "bundle.sh: no mlir-opt or no ptxas in PATH: bench/ comes without softmax and grouped" >&2
fi
for name in $measured; do
  python3 "tools/bench/hopper_$name.py" build "$bench/$name" >/dev/null
  rm -rf "$bench/$name"/{dump,f32,bf16}
done
# These two bring mm01-run and its libraries, which are there once.
for name in lightning mixed; do
  rm -f "$bench/$name"/*.so.*
  (cd "$bench/$name" && ln -s ../../lib/* . && ln -sf ../../bin/mm01-run .)
done
for name in period period-int8; do
  options=(--target=sm_90a)
  [ $name = period ] || options+=(--quantize=int8)
  mm01-compile text-01-period "${options[@]}" -o "$bench/$name.so"
done

# run.sh unpacks them.
tar -C "$folder" -cf - lib cases tiny-a bench | gzip -9 >"$folder/packed.tar.gz"
rm -rf "$folder"/{lib,cases,tiny-a,bench}

bytes=$(du -sb "$folder" | cut -f1)
echo "$folder: $((bytes >> 20)) MiB"
[ "$bytes" -lt $((64 << 20)) ] || { echo "bundle.sh: $folder has $bytes bytes, expected less than 64 MiB" >&2; exit 1; }
