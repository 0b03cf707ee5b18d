#!/bin/sh
# Kernels of kern/xpulp on the simulated chip, on 1 to 8 cores, against kern/ref
# there: xpulp.t [SEED [RUNS]].
cd "$(dirname "$0")/.." || exit 1
. test/sim/build
. test/sim/kernels
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
seed=${1:-$(date +%N | sed 's/^0*//')}
runs=${2:-6}
bad=0 n=0
for one in conv_point_int conv_point_short conv_last_int conv_last_short \
    matmul_t_int matmul_t_short; do
    for types in "int8 int8 int8" "uint8 int8 uint8" "int8 uint8 int8" \
        "uint8 uint8 uint8"; do
        SHIFT=$((30 + (seed + n) % 7))
        kernel $one $types -DSEED=$((seed % 1000000 + n))u -DRUNS=$runs
        n=$((n + 1))
        $SIM $out/kernels.elf -t siracusa >$out/kernels.txt 2>&1 &&
            grep -q "bad 0*$" $out/kernels.txt && continue
        bad=$((bad + 1))
        echo "$one $types, seed $seed:"
        cat $out/kernels.txt
    done
done
echo "$n kernels for certain types, $runs operators each on 1 to 8 cores," \
    "$bad differ"
[ $bad = 0 ]
