#!/bin/sh
# Attention of QDQ networks in the forms of exporters is one operator, with the
# results of the several that it is without the passes: attend.t [SEED [COUNT]]
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
seed=${1:-${SEED:-$(date +%s)}}
count=${2:-$(part 3)}
bad=0 i=0
run() { # target, further options
    ./tilewright run -n network "$tmp/attend.onnx" -i "$tmp/attend.npz" -q \
        -t "$@" 2>>"$tmp/said"
}
while [ $i -lt "$count" ]; do
    s=$((seed % 1000000 + i))
    i=$((i + 1))
    python3 test/quant/attend.py "$tmp" $s || exit 1
    : >"$tmp/said"
    run host --no-divided -o "$tmp/want.npz" --json "$tmp/j"
    grep -q '"kernel": "iattend_' "$tmp/j" && echo "not apart" >>"$tmp/said"
    for t in cortex-m4 rv32imc siracusa; do
        run $t -e "$tmp/want.npz" --json "$tmp/j" &&
            grep -q '"kernel": "iattend_' "$tmp/j" ||
            echo "$t: wrong, or not one operator" >>"$tmp/said"
    done
    [ -s "$tmp/said" ] || continue
    bad=$((bad + 1))
    echo "seed $s:"
    cat "$tmp/said"
done
echo "$count attentions, seed $seed, $bad wrong"
[ $bad = 0 ]
