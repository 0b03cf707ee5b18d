#!/bin/sh
# A language model that several simulated chips share writes what one writes,
# token by token or in chunks; each chip has the caches of its heads alone.
# generate.t [SEED]
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
command -v riscv64-unknown-elf-gcc >/dev/null ||
    { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
seed=${1:-${SEED:-$(date +%s)}}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
fault() { echo "$*"; bad=1; }
make -s build/test/llama2c || exit 1
build/test/llama2c -w "$tmp/m.bin" "$seed" 0 &&
    build/test/llama2c -k "$tmp/t.bin" "$seed" || exit 1
tokens() { # OPTION...
    timeout 100 ./tilewright generate "$tmp/m.bin" -t siracusa-500 \
        --tokenizer "$tmp/t.bin" --prompt abcdeabcde --tokens 6 --past-end \
        --temperature 1 --json "$tmp/json" "$@" >"$tmp/out" 2>&1 ||
        cat "$tmp/out"
    python3 -c '
import json, sys
j = json.load(open(sys.argv[1]))
assert all(s["cycles"] > 0 for s in j["steps"])
print(j["tokens"])' "$tmp/json"
}
want=$(tokens)
text=$(head -1 "$tmp/out")
[ "$(echo "$want" | tr ',' '\n' | wc -l)" -gt 6 ] || fault "one chip: $want"
for options in '2 --chunk 3' 4; do
    [ "$options" != 4 ] || whole || continue
    # shellcheck disable=SC2086
    is=$(tokens --chips $options)
    [ "$is" = "$want" ] || fault "--chips $options: $is, wanted $want"
    [ "$(head -1 "$tmp/out")" = "$text" ] || # printed once, by chip 0
        fault "--chips $options: $(head -3 "$tmp/out"), wanted $text"
done
# A model of nine heads, three of keys.
build/test/llama2c -w "$tmp/k.bin" 11 0 &&
    ./tilewright shard "$tmp/k.bin" -t host --chips 3 -o "$tmp/p" -q &&
    grep -q '^share  *scatternd  *layer0.keys' "$tmp/p/plan.txt" ||
    fault "caches are not cut by heads: $(cat "$tmp/p/plan.txt")"
./tilewright generate "$tmp/m.bin" -t host --chips 2 --tokenizer "$tmp/t.bin" \
    >"$tmp/said" 2>&1
[ $? = 2 ] && grep -q 'generate --chips: of simulated' "$tmp/said" ||
    fault "host: $(cat "$tmp/said")"
echo "seed $seed: text of 2 and 4 chips is that of one"
exit $bad
