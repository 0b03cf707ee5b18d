#!/bin/sh
# Straight lines of code: 2 KB cold as measured (2751 cycles for 500
# instructions), at once warm (about 780), for empty ways are taken first, and
# 8 KB that never fit (about 5 cycles an instruction).
cd "$(dirname "$0")/.." || exit 1
. test/sim/build
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
guest icache pulp-open
set -- $($SIM $out/icache.elf -t pulp-open | sed 's/.* //')
cold=$((0x$1)) second=$((0x$2)) warm=$((0x$3)) never=$((0x$4)) bad=0
# 2 % around the figures of the reference
[ $cold -gt 2696 ] && [ $cold -lt 2806 ] || bad=1
# settled: 757, one or two cycles at the ends of lines of the caller, and one or
# two lines (16 cycles each) that still meet those of
# the caller, by where the linker puts that
case $warm in 757 | 759 | 773 | 775 | 789) ;; *) bad=1 ;; esac
[ $never -gt 9000 ] && [ $never -lt 11000 ] || bad=1
case $second in 757 | 759 | 773 | 775 | 789) ;; *) bad=1 ;; esac
echo "500 instructions cold $cold cycles, second $second, warm $warm; 2000" \
    "that never fit $never"
exit $bad
