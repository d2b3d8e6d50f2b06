#!/usr/bin/env bash
# usage: tools/setup.sh [--check]
#
# Installs what a build and the tests need and this machine lacks, on Debian 12 or 13, as root or through sudo. It takes
# packages from the machine's own apt sources only and calls apt only when something is missing. With --check, or where
# it cannot install, it prints what is missing and exits 1. The packages of Debian 12 come with the security suite.

set -euo pipefail

# A package and what shows that it is there: a program, or an absolute path.
needs="
git                 git
ca-certificates     /etc/ssl/certs/ca-certificates.crt
python3             python3
cmake               cmake
ninja-build         ninja
g++                 g++
ccache              ccache
libmlir-22-dev      /usr/lib/llvm-22/lib/cmake/mlir/MLIRConfig.cmake
mlir-22-tools       /usr/lib/llvm-22/bin/mlir-tblgen
llvm-22-dev         /usr/lib/llvm-22/lib/cmake/llvm/LLVMConfig.cmake
llvm-22-tools       /usr/lib/llvm-22/bin/FileCheck
clang-22            /usr/lib/llvm-22/bin/clang
libclang-rt-22-dev  /usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.fuzzer-x86_64.a
lld-22              /usr/lib/llvm-22/bin/ld.lld
liblld-22-dev       /usr/lib/llvm-22/include/lld/Common/Driver.h
clang-format-22     clang-format-22
libdnnl-dev         /usr/include/oneapi/dnnl/dnnl.h
libgtest-dev        /usr/include/gtest/gtest.h
nlohmann-json3-dev  /usr/include/nlohmann/json.hpp
libcli11-dev        /usr/include/CLI/CLI.hpp
libxxhash-dev       /usr/include/xxhash.h
libzstd-dev         /usr/include/zstd.h
zlib1g-dev          /usr/include/zlib.h
codespell           codespell
"

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

missing_packages() {
  local package probe
  while read -r package probe; do
    case $probe in
    "") ;;
    /*) [ -e "$probe" ] || echo "$package" ;;
    *) command -v "$probe" >/dev/null || echo "$package" ;;
    esac
  done <<<"$needs"
}

case ${1-} in
"" | --check) ;;
*)
  echo "usage: tools/setup.sh [--check]" >&2
  exit 2
  ;;
esac

mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -gt 0 ] || exit 0
[ "${1-}" != --check ] || fail "missing Debian packages: ${missing[*]}"
[ -e /etc/debian_version ] && command -v apt-get >/dev/null ||
  fail "this is not Debian 12 or 13; install what these Debian packages hold: ${missing[*]}"

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "not root and no sudo; missing Debian packages: ${missing[*]}"
  as_root=(sudo)
  # Without a terminal nobody can answer a password prompt.
  [ -t 0 ] || sudo -n true 2>/dev/null ||
    fail "not root and sudo asks for a password; missing Debian packages: ${missing[*]}"
fi

echo "setup.sh: installing ${missing[*]}" >&2
"${as_root[@]}" apt-get -q update >&2 || fail "apt-get update failed; missing Debian packages: ${missing[*]}"

unavailable=()
for package in "${missing[@]}"; do
  policy=$(LC_ALL=C apt-cache policy "$package")
  [[ $policy =~ Candidate:\ [^\(] ]] || unavailable+=("$package")
done
[ ${#unavailable[@]} -eq 0 ] ||
  fail "the apt sources offer no ${unavailable[*]}; expected Debian 12 or 13 with its security suite"

"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
  install --no-install-recommends "${missing[@]}" >&2 || fail "apt-get could not install: ${missing[*]}"

mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -eq 0 ] || fail "still missing after the installation: ${missing[*]}"
