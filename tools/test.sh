#!/usr/bin/env bash
# usage: tools/test.sh [CTEST ARGUMENTS...]
#
# Installs what is missing, builds everything, and runs every test: unit tests, lit suites, command-line tests, checks
# of the sources and documents, the build without LLVM, the tests of runtime and frontend under the sanitizers, and each
# fuzzer for 30 seconds (tools/fuzz.sh runs them for longer). Ends with ctest's summary and its exit code. Arguments go
# to ctest: `tools/test.sh -R lit-passes` runs one suite, say.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Build folders of one clone, and clones, share what ccache holds.
export CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD} CCACHE_NOHASHDIR=1

tools/setup.sh
cmake --preset default
cmake --build --preset default
exec ctest --test-dir build --output-on-failure --no-tests=error --parallel "$(nproc)" "$@"
