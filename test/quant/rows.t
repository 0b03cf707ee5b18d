#!/bin/sh
# A softmax of bytes on the grid of all that it can be, and a layer norm of bytes
# on any grid, are ones of integers, whose results are exact, on all chips:
# rows.t [SEED [COUNT]]
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
seed=${1:-${SEED:-$(date +%s)}}
count=${2:-$(part 6)}
bad=0 i=0
judge() { # softmax or layernorm, seed
    python3 test/quant/$1.py "$tmp" $2 || exit 1
    for t in host cortex-m4 siracusa; do
        ./tilewright run -n network "$tmp/$1.onnx" -t $t -i "$tmp/$1.npz" -q \
            -o "$tmp/$t.npz" --json "$tmp/j" &&
            grep -q "\"kernel\": \"q$1_" "$tmp/j" || echo "$t: no integers"
    done >"$tmp/said" 2>&1
    python3 test/quant/$1.py "$tmp" $2 "$tmp/host.npz" \
        "$tmp/cortex-m4.npz" "$tmp/siracusa.npz" >>"$tmp/said" 2>&1
    [ -s "$tmp/said" ] || return
    bad=$((bad + 1))
    echo "$1, seed $2:"
    cat "$tmp/said"
}
while [ $i -lt "$count" ]; do
    if [ $((i % 2)) = 0 ]; then what=softmax; else what=layernorm; fi
    judge $what $((seed % 1000000 + i))
    i=$((i + 1))
done
echo "$count softmaxes and layer norms, seed $seed, $bad wrong"
[ $bad = 0 ]
