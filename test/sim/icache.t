#!/bin/sh
# Straight lines of code: 2 KB cold as measured (2751 cycles for 500
# instructions), at once warm (about 780), for empty ways are taken first, and
# 8 KB that never fit (about 5 cycles an instruction).
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
guest icache pulp-open
set -- $($SIM $out/icache.elf -t pulp-open | sed 's/.* //')
cold=$((0x$1)) second=$((0x$2)) warm=$((0x$3)) never=$((0x$4)) bad=0
# 2 % around the figures of the reference
[ $cold -gt 2696 ] && [ $cold -lt 2806 ] || bad=1
# settled: 759, two cycles for each of its lines but those that the core's own
# cache still has (the first one may be: 757), and 16 for one or two lines that
# meet those of the caller in the shared one, by where the linker puts that
settled() {
    case $1 in 757 | 759 | 773 | 775 | 789 | 791) ;; *) bad=1 ;; esac
}
settled $warm
settled $second
[ $never -gt 9000 ] && [ $never -lt 11000 ] || bad=1
echo "500 instructions cold $cold cycles, second $second, warm $warm; 2000" \
    "that never fit $never"
exit $bad
