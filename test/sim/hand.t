#!/bin/sh
# Small programs against cycles counted by hand, on the chips that share them.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
bad=0 chips=0
for chip in pulp-open siracusa; do
    guest hand $chip
    for how in "" --strict; do
        ./tilewright sim $out/hand.elf -t $chip --max-cycles 1000000 $how \
            >$out/hand.out || { bad=1; cat $out/hand.out; }
    done
    ./tilewright sim $out/hand.elf -t $chip --trace /dev/null \
        --json $out/traced.json >/dev/null
    ./tilewright sim $out/hand.elf -t $chip --json $out/plain.json >/dev/null
    cmp -s $out/traced.json $out/plain.json || { bad=1; echo "--trace differs"; }
    chips=$((chips + 1))
done
echo "$((0x$(sed -n 's/checks //p' $out/hand.out))) figures by hand on $chips" \
    "chips, $bad wrong"
exit $bad
