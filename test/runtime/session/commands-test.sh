#!/usr/bin/env bash
# usage: commands-test.sh MM01-RUN PROGRAMS
#
# mm01-run generate, logits and bench on the toy programs in the folder PROGRAMS: what they print, and that every wrong
# flag or input gives exactly one line on stderr and the right exit code.
set -u
run=$1 programs=$2
toy=$programs/toy.so
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
  echo "FAILED: $*"
  sed 's/^/  stderr: /' err
  failures=$((failures + 1))
}

# refuses CODE PATTERN ARGUMENTS...: exit code CODE, nothing on stdout, one line on stderr that matches PATTERN.
refuses() {
  local code=$1 pattern=$2
  shift 2
  "$run" "$@" >out 2>err
  local found=$?
  [ "$found" = "$code" ] || fail "mm01-run $*: exit code $found, expected $code"
  [ "$(wc -l <err)" = 1 ] || fail "mm01-run $*: expected one line on stderr"
  [ -s out ] && fail "mm01-run $*: wrote to stdout"
  grep -qE -- "$pattern" err || fail "mm01-run $*: stderr does not match: $pattern"
}

# prints PATTERN ARGUMENTS...: exit code 0 and a line on stdout that matches PATTERN.
prints() {
  local pattern=$1
  shift
  "$run" "$@" >out 2>err || fail "mm01-run $*: exit code $?"
  grep -qE -- "$pattern" out || fail "mm01-run $*: stdout does not match: $pattern: $(cat out)"
}

# safetensors FILE NAME DTYPE SHAPE BYTES: a file of one tensor; BYTES as for printf.
safetensors() {
  local data header
  printf "$5" >data
  header=$(printf '{"%s":{"dtype":"%s","shape":%s,"data_offsets":[0,%d]}}' "$2" "$3" "$4" "$(wc -c <data)")
  while [ $(((${#header} + 8) % 8)) != 0 ]; do header+=' '; done
  printf "\\x$(printf %02x ${#header})\\0\\0\\0\\0\\0\\0\\0%s" "$header" | cat - data >"$1"
}

# --- generate
weights=(--weights random:1)
prints '^[0-9]+,[0-9]+,[0-9]+$' generate "$toy" "${weights[@]}" --prompt-ids 1,2,3 --max-new-tokens 3
grep -qE '^prefill: 3 tokens in [0-9.]+ s, [0-9.]+ tokens/s$' err || fail "no prefill rate"
grep -qE '^decode: 2 tokens in [0-9.]+ s, [0-9.]+ tokens/s$' err || fail "no decode rate"
[ "$(wc -l <err)" = 2 ] || fail "a pipe shows more than the rates"

# Prompts keep their order whichever flag they come by; a prompt in brackets is no list.
bytes=$programs/toy-bytes.so
alone=$("$run" generate "$bytes" "${weights[@]}" --prompt '[ab]' --max-new-tokens 4 2>err)
prints '.' generate "$bytes" "${weights[@]}" --prompt-ids 5 --prompt '[ab]' --prompt-ids 9,10 --max-new-tokens 4
[ "$(wc -l <out)" = 3 ] || fail "expected three lines"
[ "$(sed -n 2p out)" = "$alone" ] || fail "prompt 1 depends on its batch"
[[ $alone == *$'\t"'* ]] || fail "no text for a prompt of text"
prints '^\{"prompts":\[\{"prompt":\[91,97,98,93\],"tokens":\[.*\],"text":".*"\}\],"prefill":\{"tokens":4,' \
  generate "$bytes" "${weights[@]}" --prompt '[ab]' --json
[ "$(wc -l <out)" = 1 ] || fail "JSON is not one line"

# The same draws for the same seed, also with other threads and in another batch.
draws=(--temperature 1e6 --top-k 200 --top-p 0.9 --seed 5 --max-new-tokens 30)
first=$("$run" generate "$bytes" "${weights[@]}" --prompt-ids 1 "${draws[@]}" --threads 1 2>err)
second=$("$run" generate "$bytes" "${weights[@]}" --prompt-ids 1 --prompt x "${draws[@]}" --threads 2 2>err | head -1)
[ "$first" = "$second" ] || fail "draws are not reproducible: $first / $second"
other=$("$run" generate "$bytes" "${weights[@]}" --prompt-ids 1 "${draws[@]}" --seed 6 2>err)
refuses 2 '--seed' generate "$bytes" "${weights[@]}" --prompt-ids 1 --seed 5 --seed 6

refuses 2 'no prompt' generate "$toy" "${weights[@]}"
refuses 2 '--weights' generate "$toy" --prompt-ids 1
refuses 2 'program' generate --weights random:1 --prompt-ids 1
refuses 2 'no list of token ids' generate "$toy" "${weights[@]}" --prompt-ids 1,,2
refuses 2 'no list of token ids' generate "$toy" "${weights[@]}" --prompt-ids 1,x
refuses 2 'no list of token ids' generate "$toy" "${weights[@]}" --prompt-ids=-1
refuses 2 'no list of token ids' generate "$toy" "${weights[@]}" --prompt-ids 99999999999
refuses 2 'temperature' generate "$toy" "${weights[@]}" --prompt-ids 1 --temperature=-1
refuses 2 'temperature' generate "$toy" "${weights[@]}" --prompt-ids 1 --temperature nan
refuses 2 'temperature' generate "$toy" "${weights[@]}" --prompt-ids 1 --temperature hot
refuses 2 'top-k' generate "$toy" "${weights[@]}" --prompt-ids 1 --top-k=-3
refuses 2 'top-p' generate "$toy" "${weights[@]}" --prompt-ids 1 --top-p 0
refuses 2 'top-p' generate "$toy" "${weights[@]}" --prompt-ids 1 --top-p 1.1
refuses 2 'max-new-tokens' generate "$toy" "${weights[@]}" --prompt-ids 1 --max-new-tokens 0
refuses 2 'threads' generate "$toy" "${weights[@]}" --prompt-ids 1 --threads 0
refuses 2 'tokenizer' generate "$toy" "${weights[@]}" --prompt-ids 1 --tokenizer t.json
refuses 1 'token 1 is 16, expected 0 to 15' generate "$toy" "${weights[@]}" --prompt-ids 1,16
refuses 1 'expected 256 \(bytes\)' generate "$toy" "${weights[@]}" --prompt hello
refuses 1 'prompt 0 has no tokens' generate "$bytes" "${weights[@]}" --prompt ''
refuses 1 'at most 1000 positions' generate "$toy" "${weights[@]}" --prompt-ids 1 --max-new-tokens 2000
refuses 1 'absent.so' generate absent.so "${weights[@]}" --prompt-ids 1
refuses 1 'absent' generate "$toy" --weights absent --prompt-ids 1
refuses 1 'random' generate "$toy" --weights random:x --prompt-ids 1
head -c 2000 "$toy" >cut.so
refuses 1 'cut.so' generate cut.so "${weights[@]}" --prompt-ids 1

"$run" generate "$toy" "${weights[@]}" --prompt-ids 1 >/dev/full 2>err
[ $? = 1 ] && [ "$(wc -l <err)" = 1 ] || fail "a full disk: expected exit code 1 and one line"

# --- logits
safetensors ids.safetensors ids I32 '[3]' '\1\0\0\0\2\0\0\0\3\0\0\0'
safetensors u8.safetensors ids U8 '[3]' '\1\2\3'
safetensors u16.safetensors ids U16 '[3]' '\1\0\2\0\3\0'
safetensors i64.safetensors ids I64 '[3]' '\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0'
for type in ids u8 u16 i64; do
  "$run" logits "$toy" "${weights[@]}" --ids $type.safetensors:ids -o $type.out >out 2>err || fail "logits of $type"
  cmp -s ids.out $type.out || fail "ids of $type give other logits"
done
[ -s out ] || [ -s err ] && fail "logits prints something"
for chunk in 1 2 3 50; do
  "$run" logits "$toy" "${weights[@]}" --ids ids.safetensors:ids -o chunk.out --prefill-chunk $chunk 2>err
  cmp -s ids.out chunk.out || fail "chunks of $chunk give other logits"
done
grep -aq '"logits":{.*"F32"' ids.out || fail "no logits in the output"
grep -aqE '"shape": ?\[3, ?16\]' ids.out || fail "logits are not [3, 16]"

safetensors float.safetensors ids F32 '[1]' '\0\0\0\0'
safetensors matrix.safetensors ids U8 '[1,2]' '\1\2'
safetensors empty.safetensors ids U8 '[0]' ''
safetensors over.safetensors ids U8 '[2]' '\1\20'
safetensors huge.safetensors ids I64 '[1]' '\0\0\0\0\1\0\0\0'
to=(-o bad.out)
refuses 1 'no tensor other, it has ids' logits "$toy" "${weights[@]}" --ids ids.safetensors:other "${to[@]}"
refuses 1 'type F32, expected I32, I64, U16 or U8' logits "$toy" "${weights[@]}" --ids float.safetensors:ids "${to[@]}"
refuses 1 'shape \[1, 2\]' logits "$toy" "${weights[@]}" --ids matrix.safetensors:ids "${to[@]}"
refuses 1 'at least one token' logits "$toy" "${weights[@]}" --ids empty.safetensors:ids "${to[@]}"
refuses 1 'token 1 is 16' logits "$toy" "${weights[@]}" --ids over.safetensors:ids "${to[@]}"
refuses 1 'element 0 is 4294967296' logits "$toy" "${weights[@]}" --ids huge.safetensors:ids "${to[@]}"
refuses 1 'absent.safetensors' logits "$toy" "${weights[@]}" --ids absent.safetensors:ids "${to[@]}"
refuses 1 'takes at most 96' logits "$toy" "${weights[@]}" --ids ids.safetensors:ids "${to[@]}" --prefill-chunk 97
refuses 1 'absent/bad.out' logits "$toy" "${weights[@]}" --ids ids.safetensors:ids -o absent/bad.out
refuses 2 'prefill-chunk' logits "$toy" "${weights[@]}" --ids ids.safetensors:ids "${to[@]}" --prefill-chunk 0
refuses 2 'FILE:TENSOR' logits "$toy" "${weights[@]}" --ids ids.safetensors "${to[@]}"
refuses 2 'output' logits "$toy" "${weights[@]}" --ids ids.safetensors:ids
[ -e bad.out ] && fail "a refused call left an output"

# --- bench
prints '^forward: tokens=3 sequences=4 singles=0 past=100 threads=1 iterations=5$' bench "$toy" --entry forward \
  --threads 1 --set tokens=3 --set sequences=4 --set past=100 --set iterations=5
grep -qE '^median [0-9.]+ ms, min [0-9.]+ ms, max [0-9.]+ ms$' out || fail "no times"
grep -qE '^[0-9.]+ tokens/s$' out || fail "no rate"
prints '^\{"entry":"forward","tokens":1,.*"seconds":\{"median":.*,"tokens_per_second":' bench "$toy" --entry forward --json
prints '^scale: arg0.dim0=1000 threads' bench "$toy" --entry scale --set arg0.dim0=1000 --set arg1=0.5 --set warmup=0
refuses 1 "no entry 'nope'" bench "$toy" --entry nope
refuses 1 'no such setting, expected one of iterations, past, sequences, singles, tokens, warmup' \
  bench "$toy" --entry forward --set token=1
refuses 1 'no such setting, expected one of arg0.dim0, arg1' bench "$toy" --entry scale --set arg0.dim0=1 --set arg2=0
refuses 1 'arg0.dim0 is not given' bench "$toy" --entry scale
refuses 1 'expected a number' bench "$toy" --entry scale --set arg0.dim0=1 --set arg1=x
refuses 1 'expected a whole number from 1 to 96' bench "$toy" --entry forward --set tokens=97
refuses 1 'expected a whole number from 1 to 8' bench "$toy" --entry forward --set sequences=9
refuses 1 'expected a whole number' bench "$toy" --entry forward --set tokens=1.5
refuses 1 'at most 96' bench "$toy" --entry forward --set tokens=50 --set sequences=2
refuses 1 'at most 1000 positions' bench "$toy" --entry forward --set past=1000
refuses 1 'arg0' bench "$toy" --entry scale --set arg0.dim0=2147483647
refuses 2 'expected NAME=VALUE' bench "$toy" --entry forward --set tokens
refuses 2 'given twice' bench "$toy" --entry forward --set tokens=1 --set tokens=2
refuses 2 'entry' bench "$toy"

[ "$failures" = 0 ] && echo "all commands behave"
exit $((failures > 0))
