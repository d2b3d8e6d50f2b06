#!/bin/sh
# usage: speed.sh
#
# Runs the measurements of a bundle (tools/bundle.sh) on this machine's GPU, each beside its peer or ceiling in the same
# run; peers need PyTorch, and FLA is timed where it is installed. Takes some minutes. Exit code 1 when a bar is missed.
cd "$(dirname "$0")/bench" || exit 1
tool=$PWD/../bin/mm01-run
LD_LIBRARY_PATH="$PWD/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
failed=0

# part NAME ARGUMENTS…: the measurement hopper_NAME.py.
part() {
  name=$1
  shift
  [ -e "$name" ] || return 0
  echo "== $name"
  python3 "hopper_$name.py" run "$name" "$@" || failed=1
}

part lightning
part mixed
part decode "$tool"
part softmax
part softmax_decode "$tool"
part grouped
part sampling "$tool"

for program in period period-int8; do
  for batch in tokens=8192 past=1024 "sequences=64 past=128"; do
    echo "== $program, $batch"
    settings=$(printf -- '--set %s ' $batch)
    # shellcheck disable=SC2086
    "$tool" bench "$program.so" --entry forward --weights random:1 --set iterations=10 $settings || failed=1
  done
done
exit $failed
