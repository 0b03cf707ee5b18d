#!/bin/sh
# A softmax of bytes on the grid of all that it can be is one of integers, whose
# results are exact, on all chips: softmax.t [SEED [COUNT]]
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
seed=${1:-${SEED:-$(date +%s)}}
count=${2:-6}
bad=0 i=0
while [ $i -lt "$count" ]; do
    s=$((seed % 1000000 + i))
    i=$((i + 1))
    python3 test/quant/softmax.py "$tmp" $s || exit 1
    for t in host cortex-m4 siracusa; do
        ./tilewright run -n network "$tmp/softmax.onnx" -t $t \
            -i "$tmp/softmax.npz" -q \
            -o "$tmp/$t.npz" --json "$tmp/j" &&
            grep -q '"kernel": "qsoftmax_' "$tmp/j" || echo "$t: no integers"
    done >"$tmp/said" 2>&1
    python3 test/quant/softmax.py "$tmp" $s "$tmp/host.npz" \
        "$tmp/cortex-m4.npz" "$tmp/siracusa.npz" >>"$tmp/said" 2>&1
    [ -s "$tmp/said" ] || continue
    bad=$((bad + 1))
    echo "seed $s:"
    cat "$tmp/said"
done
echo "$count softmaxes, seed $seed, $bad wrong"
[ $bad = 0 ]
