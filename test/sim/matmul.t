#!/bin/sh
# The int8 matrix product of the PULP papers: 17.2 MAC a cycle on 8 cores with
# bank conflicts on; the same cycles run after run and in lockstep.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
guest mm pulp-open -DTURNS=2
bad=0
for how in "" "" --strict; do
    $SIM $out/mm.elf -t pulp-open --json $out/mm.json $how >$out/mm.now ||
        bad=1
    [ ! -f $out/mm.was ] || cmp -s $out/mm.was $out/mm.now || bad=1
    [ ! -f $out/json.was ] || cmp -s $out/json.was $out/mm.json || bad=1
    mv $out/mm.now $out/mm.was
    cp $out/mm.json $out/json.was
done
[ $bad = 0 ] || echo "runs differ"
set -- $(sed 's/.*cycles //' $out/mm.was)
one=$((0x$1)) eight=$((0x$2)) mac=$((64 * 16 * 256))
rm -f $out/mm.was $out/json.was
# 2 % around 118642 and 15230
[ $one -gt 116269 ] && [ $one -lt 121015 ] || bad=1
[ $eight -gt 14925 ] && [ $eight -lt 15535 ] || bad=1
echo "1 core $one cycles, 8 cores $eight: $((mac * 10 / eight)) tenths of a" \
    "MAC a cycle; 3 runs alike"
exit $bad
