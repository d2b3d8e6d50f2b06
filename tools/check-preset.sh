#!/usr/bin/env bash
# usage: tools/check-preset.sh PRESET
#
# Configures, builds and tests one preset of CMakePresets.json beside the default one. Those without LLVM show that the
# runtime stands alone, and run its tests under the sanitizers; `fuzz` does so with the frontend's.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ $# -eq 1 ] || {
  echo "usage: tools/check-preset.sh PRESET" >&2
  exit 2
}
cmake --preset "$1"
cmake --build --preset "$1"
build=build-${1/-only/}
ctest --test-dir "$build" --output-on-failure --no-tests=error

# The runtime links neither MLIR nor LLVM, in any preset that has it.
if [ -e "$build/bin/mm01-run" ] && ldd "$build/bin/mm01-run" | grep -E 'libMLIR|libLLVM'; then
  echo "check-preset.sh: $build/bin/mm01-run links the libraries above, expected neither MLIR nor LLVM" >&2
  exit 1
fi
