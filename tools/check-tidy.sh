#!/usr/bin/env bash
# usage: tools/check-tidy.sh [FILE.cpp...]
#
# Runs clang-tidy 22 by .clang-tidy on these files, or on every .cpp of the project. It takes minutes and the Debian
# package clang-tidy-22, so it is no part of tools/test.sh. Configure first: it reads build/compile_commands.json.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "check-tidy.sh: $*" >&2
  exit 1
}
command -v clang-tidy-22 >/dev/null || fail "needs the Debian package clang-tidy-22"
[ -e build/compile_commands.json ] || fail "no build/compile_commands.json: run cmake --preset default first"

[ $# -gt 0 ] || mapfile -t files < <(git ls-files '*.cpp' ':!test')
[ $# -eq 0 ] || files=("$@")
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-22 -p build --quiet --warnings-as-errors='*'
