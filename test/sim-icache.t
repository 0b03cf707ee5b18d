#!/bin/sh
# Straight lines of code: 2 KB cold as measured (2751 cycles for 500
# instructions), 8 KB that never fit (about 5 cycles an instruction).
cd "$(dirname "$0")/.." || exit 1
. test/sim/build
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
guest icache pulp-open
set -- $($SIM $out/icache.elf -t pulp-open | sed 's/.* //')
cold=$((0x$1)) warm=$((0x$2)) never=$((0x$4)) bad=0
[ $cold -gt 2696 ] && [ $cold -lt 2806 ] || bad=1
[ $never -gt 9000 ] && [ $never -lt 11000 ] || bad=1
# warm: a line of 16 bytes costs 2, but for those that random ways lost
[ $warm -gt 750 ] && [ $warm -lt 1250 ] || bad=1
echo "500 instructions cold $cold cycles, warm $warm; 2000 that never fit $never"
exit $bad
