#!/bin/sh
# usage: run.sh [START…]
#        run.sh speed
#
# Runs the checks of a bundle (tools/bundle.sh), or those whose names start so, on this machine's GPU and prints one table.
# Exit code 1 when one fails; 0, with "unsupported", on a machine without a GPU of compute capability 9.0.
# `speed` measures instead (speed.sh).
here=$(cd "$(dirname "$0")" && pwd)
if [ -e "$here/packed.tar.gz" ]; then
  tar -xzf "$here/packed.tar.gz" -C "$here" && rm "$here/packed.tar.gz" || exit 1
fi
[ "$1" != speed ] || exec "$here/speed.sh"
command -v python3 >/dev/null || { echo "unsupported: no python3"; exit 0; }
LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec python3 "$here/python/check.py" "$here" "$@"
