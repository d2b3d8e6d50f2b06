#!/usr/bin/env bash
# usage: tools/fresh-machine.sh [--suite bookworm|trixie] [--root FOLDER] [--keep] [COMMAND...]
#
# Runs commands of this repository (default: tools/demo.sh and tools/test.sh) as a newcomer would: in a minimal Debian
# that has nothing but git, in a clone of the committed HEAD. Needs root and debootstrap. The packages come from the
# mirrors of this machine's apt sources; MIRROR and SECURITY_MIRROR override them. The folder (default: one under
# $TMPDIR) is deleted at the end unless --keep is given; with --root, a folder kept before is used again.

set -euo pipefail
source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
suite=bookworm root="" keep=no

fail() {
  echo "fresh-machine.sh: $*" >&2
  exit 1
}
usage() {
  echo "usage: tools/fresh-machine.sh [--suite bookworm|trixie] [--root FOLDER] [--keep] [COMMAND...]" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
  --suite) suite=${2-} && shift 2 || usage ;;
  --root) root=${2-} && shift 2 || usage ;;
  --keep) keep=yes && shift ;;
  -*) usage ;;
  *) break ;;
  esac
done
[[ $suite =~ ^(bookworm|trixie)$ ]] || usage
[ $# -gt 0 ] || set -- tools/demo.sh tools/test.sh
[ "$(id -u)" -eq 0 ] || fail "needs root, to make a Debian root folder and enter it"
command -v debootstrap >/dev/null || fail "needs the Debian package debootstrap"

# The first mirror of this machine's apt sources whose label is $1.
mirror() {
  apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Identifier: Packages' | awk -F'|' -v l="$1" '$1 == l && !n++ {print $2}'
}
mirror=${MIRROR:-$(mirror Debian)}
security=${SECURITY_MIRROR:-$(mirror Debian-Security)}
[ -n "$mirror" ] && [ -n "$security" ] ||
  fail "the apt sources name no Debian and Debian-Security mirror; set MIRROR and SECURITY_MIRROR"

[ -n "$root" ] || root=$(mktemp -d -t "mm01-$suite.XXXXXX")
# Everything is mounted in a mount namespace that ends with the command, so deleting the folder reaches nothing else.
[ "$keep" = yes ] || trap 'rm -rf --one-file-system "$root"' EXIT

if [ ! -e "$root/etc/debian_version" ]; then
  debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$root" "$mirror" >&2
  printf 'deb %s main\n' "$mirror $suite" "$mirror $suite-updates" "$security $suite-security" >"$root/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::((http|https|ftp)::|Check-|Retries)' >"$root/etc/apt/apt.conf.d/90host" || true
fi

rm -rf --one-file-system "$root/src"
git -c safe.directory="$source_root" clone -q --no-hardlinks "file://$source_root" "$root/src/mm01"

inside='mount -t proc proc "$1/proc" && exec chroot "$1" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -c "cd /src/mm01 && $2"'
for command in "$@"; do
  echo "fresh-machine.sh: $suite: $command" >&2
  unshare --mount --pid --fork --kill-child bash -c "$inside" bash "$root" "$command"
done
