#!/bin/sh
# Kernels of kern/xpulp on the simulated chip, on 1 to 8 cores, against kern/ref
# there: xpulp.t [SEED [RUNS [all]]].  Of each kernel half of the types, by the
# seed; with `all` (xpulp.long) all of them.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
. test/sim/build
. test/sim/kernels
. test/sim/conv
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
seed=${1:-${SEED:-$(date +%s)}}
runs=${2:-6}
all=$3
bad=0 n=0 turn=$seed
due() { # is it this one's turn?
    turn=$((turn + 1))
    [ "$all" ] || [ $((turn % (2 * PART))) = 0 ]
}
judge() { # what, program
    n=$((n + 1))
    $SIM $out/$2.elf -t siracusa >$out/$2.txt 2>&1 &&
        grep -q "bad 0*$" $out/$2.txt && return
    bad=$((bad + 1))
    echo "$1, seed $seed:"
    cat $out/$2.txt
}
for types in "int8 int8 int8" "uint8 int8 uint8" "int8 uint8 int8" \
    "uint8 uint8 uint8" "uint8 int8 int32"; do
    due # each row begins with another one
    for one in conv_last_int conv_last_scale32 conv_taps_scale32 \
        "conv_taps_scale32 -DSTATIONARY=1" conv_depth_int conv_depth_scale32 \
        conv_depth3_scale32 "conv_depth3_scale32 -DUNROLL=3 -DPLANES=6128" \
        "conv_depth3_scale32 -DACROSS=16" conv_pair_int conv_pair_scale32; do
        case $types/$one in
        *int32/conv_taps* | *int32/conv_depth3* | *\ uint8\ */conv_depth3*)
            continue ;;
        esac
        due || continue
        SHIFT=$((30 + (seed + n) % 7)) ADDTYPE=int32_t MUL_MOST=
        [ $(((seed + n) % 4)) = 0 ] &&
            SHIFT=$((9 + (seed + n) % 9)) MUL_MOST=200
        case $one in
        *int) [ $(((seed + n) % 3)) = 0 ] || ADDTYPE=int64_t ;;
        esac
        name=${one%% *}
        # shellcheck disable=SC2086
        conv $name $types ${one#"$name"} -DSEED=$((seed % 1000000 + n))u \
            -DRUNS=$runs
        judge "$one $types" conv
    done
    for one in matmul_transb_int matmul_transb_scale32 \
        "matmul_few_scale32 -DFEW"; do
        case $types/$one in *int32/* | *\ uint8\ */matmul_few*) continue ;; esac
        due || continue
        SHIFT=$((30 + (seed + n) % 7))
        name=${one%% *}
        # shellcheck disable=SC2086
        kernel $name $types ${one#"$name"} -DSEED=$((seed % 1000000 + n))u \
            -DRUNS=$runs
        judge "$one $types" kernels
    done
done
echo "$n kernels for certain types, $runs operators each on 1 to 8 cores," \
    "$bad differ"
[ $bad = 0 ]
