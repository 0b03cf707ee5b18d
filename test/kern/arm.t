#!/bin/sh
# Kernels for Cortex-M on QEMU, against kern/ref there, with random operators
# that their heads allow: arm.t [SEED [RUNS [KERNEL...]]].  Of those for the DSP
# extension one in four runs on Cortex-M55 too, with BOTH=1 (arm.long) all.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
. test/sim/build
. test/sim/arm
[ "$have_arm" ] || { echo "no arm-none-eabi-gcc or QEMU: skipped"; exit 0; }
seed=${1:-${SEED:-$(date +%s)}}
runs=${2:-12}
[ $# -gt 2 ] && shift 2 || set -- $(ls kern/dsp/*.c kern/mve/*.c | each)
bad=0 n=0
for one; do
    [ -f "$one" ] || continue
    case $one in
    kern/mve/*) chips=cortex-m55 ;;
    *) chips="cortex-m4 cortex-m55"
        [ "$BOTH" ] || [ $(((seed + n) % 4)) = 0 ] || chips=cortex-m4 ;;
    esac
    for chip in $chips; do
        n=$((n + 1))
        arm $chip $one $((seed % 1000000 + n)) $runs &&
            arm_run >$out/arm.txt 2>&1 && continue
        bad=$((bad + 1))
        echo "$one on $chip differs, seed $seed:"
        cat $out/arm.txt
    done
done
echo "$n kernels, $runs operators each, $bad differ, seed $seed"
[ $bad = 0 ]
