#!/bin/sh
# Results and cycles of N-Eureka and NE16.  test/sim/neureka.t SEED JOBS tries others.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
printf 'include siracusa\naccel neureka tile=32\n' >$out/neureka32.soc
cat >$out/ne16.soc <<'END'
include gap9
memory L1 size=256K
accel ne16 model=ne16 clock=cluster base=0x10201000 size=0x400
END
$host -o $out/sim-neureka test/sim/neureka.c $objects $libs || exit 1
$out/sim-neureka $out/neureka32.soc $out/ne16.soc "${1:-1}" "${2:-3000}" || exit 1
[ $have_cross ] || exit 0
# cores at the same banks: both sides wait, neither for long
guest share siracusa
set -- $($SIM $out/share.elf -t siracusa --timeline $out/share.line | sed 's/.* //')
alone=$((0x$1)) shared=$((0x$2))
echo "a job takes $alone cycles alone, $shared beside 7 cores; random jobs" \
    "and the RTL's cycles agree"
[ "$(grep -c '"3x3, 12x12 pixels, 28 to 32 channels, 8 bits, scales 8"' \
    $out/share.line)" = 3 ] || { echo "the timeline has no such jobs"; exit 1; }
[ $shared -gt $alone ] && [ $((shared * 2)) -lt $((alone * 3)) ]
