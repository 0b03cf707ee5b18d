#!/bin/sh
# Attention as one operator, with masks of all kinds, drawn at random: the same
# by the kernels of XpulpV2 on the simulated chip, of the DSP extension and of
# Helium on QEMU, and in plain C, as by kern/ref.  attend.t [SEED [COUNT]]
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
seed=${1:-${SEED:-$(date +%s)}}
count=${2:-$(part 16)}
bad=0
python3 test/kern/attend.py "$tmp" "$seed" "$count" || exit 1
for net in "$tmp"/*.il; do
    for t in host siracusa cortex-m4 cortex-m55 rv32imc; do
        ./tilewright run -n network "$net" -t $t -q --json "$tmp/$t.json" ||
            { bad=$((bad + 1)); echo "$(basename "$net") on $t, seed $seed"; }
        grep -o '"kernel": "[^"]*"' "$tmp/$t.json" >>"$tmp/kernels"
    done
done
n=$(sort -u "$tmp/kernels" | grep -c iattend)
echo "$count operators by $n kernels, $bad wrong, seed $seed"
[ $bad = 0 ]
