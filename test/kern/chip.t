#!/bin/sh
# Kernels on the simulated chip, on 1 to 8 cores, against kern/ref there, with
# random operators that their heads allow: chip.t [SEED [RUNS [KERNEL...]]].
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
. test/sim/build
. test/sim/chip
[ "$have_cross" ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
seed=${1:-${SEED:-$(date +%s)}}
runs=${2:-6}
[ $# -gt 2 ] && shift 2 || set -- $(ls kern/xpulp/*.c | grep -v conv_ | each)
bad=0 n=0
for one; do
    n=$((n + 1))
    : >$out/chip.txt
    chip $one 8 $((seed % 1000000 + n)) $runs &&
        $SIM $out/chip.elf -t siracusa >$out/chip.txt 2>&1 &&
        grep -q "bad 0*$" $out/chip.txt && continue
    bad=$((bad + 1))
    echo "$one differs, seed $seed:"
    cat $out/chip.txt
done
echo "$n kernels, $runs operators each on 1 to 8 cores, $bad differ," \
    "seed $seed"
[ $bad = 0 ]
