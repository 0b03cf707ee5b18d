#!/bin/sh
# More states than there are combinations to try all of lie in L1 together where
# that is quicker, and the program is right.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
many=14 size=4096
{
    echo 'graph "states"'
    echo "x = input : s16[$size]"
    i=0
    while [ $i -lt $many ]; do
        echo "s$i = input : s16[$size]"
        i=$((i + 1))
    done
    i=0
    while [ $i -lt $many ]; do
        echo "y$i = add s$i x lo=-9999 hi=9999 : s16[$size]"
        echo "output y$i state s$i"
        i=$((i + 1))
    done
} >"$tmp/net.il"
command -v riscv64-unknown-elf-gcc >/dev/null || { echo "no compiler"; exit 0; }
./tilewright run -n network "$tmp/net.il" -t siracusa -q \
    --json "$tmp/j" || exit 1
used=$(python3 -c "
import json
print([m['used'] for m in json.load(open('$tmp/j'))['memory']
       if m['name'] == 'L1'][0])")
[ "$used" -ge $((2 * size * many)) ] || { echo "L1: $used bytes"; exit 1; }
echo "$many states in $used bytes of L1"
