#!/bin/sh
# Attention as exporters write it (forms.py) is one operator on a Cortex-M and
# on a cluster, and gives the same as without passes that join it.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
python3 test/pass/forms.py "$tmp" || exit 1
n=0
for f in $(ls "$tmp"/*.il | each); do
    n=$((n + 1))
    for t in cortex-m7 siracusa; do
        ./tilewright report "$f" -t $t --json "$tmp/j" -q &&
        grep -q '"op": "iattend"' "$tmp/j" &&
        ! grep -q '"op": "\(i*softmax\|powers\)"' "$tmp/j" || {
            echo "$(basename "$f"), $t: not one operator"
            exit 1
        }
    done
    ./tilewright run -n network "$f" -t host -q -o "$tmp/one.npz" &&
    ./tilewright run -n network "$f" -t host -q -o "$tmp/several.npz" \
        --no-split --no-prompt --no-transposes &&
    cmp "$tmp/one.npz" "$tmp/several.npz" || {
        echo "$(basename "$f"): other results"
        exit 1
    }
done
echo "$n forms are one operator each"
