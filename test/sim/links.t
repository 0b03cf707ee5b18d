#!/bin/sh
# Several chips: a number goes round 2, 4 and 64 of them over their links.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
guest ring siracusa
bad=0
for n in 2 4 64; do
    want=$(printf 'sum %08x' $((1000 + n * (n - 1) / 2)))
    $SIM $out/ring.elf -t siracusa --chips $n --max-cycles 1000000 \
        --json $out/ring.json >$out/ring.out || bad=1
    grep -q "^$want$" $out/ring.out || bad=1
    grep -q "\"link_bytes\": $((4 * n))" $out/ring.json || bad=1
done
# a chip alone has nobody to send to
$SIM $out/ring.elf -t siracusa --max-cycles 100000 2>$out/ring.err
[ $? = 5 ] && grep -q "no way from chip 0 to chip 0 of 1" $out/ring.err || bad=1
[ $bad = 0 ] || cat $out/ring.out $out/ring.err
echo "a number went round 2, 4 and 64 chips"
exit $bad
