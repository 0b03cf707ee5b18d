#!/bin/sh
# Every kernel but kern/ref against kern/ref on random operands within its
# `when`, under the sanitizers: kern.t [SEED [RUNS [KERNEL-PREFIX...]]].  Of a
# kernel's lines of types one is drawn; kern-ref.long has all.
# Sanitizers: its own.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
seed=${1:-${SEED:-$(date +%s)}}
runs=${2:-20}
[ $# -gt 2 ] && shift 2 || set -- kern/c/ kern/dsp/ kern/xpulp/ kern/neureka/ kern/ne16/
whole || set -- $(for d; do ls "$d"*.c; done | sed 's/c$//' | each)
dir=build/test/kern
rm -rf $dir
mkdir -p $dir
lib="$(ls build/src/ir/*.o build/src/base/*.o build/eval*/*.o 2>/dev/null)
     build/packed.o build/packdata.o"
flags="-std=c11 -D_GNU_SOURCE -I. -Isrc"
${HOSTCC:-gcc} $flags -O1 -o $dir/kernemit test/kern/kernemit.c $lib -lzip -lm &&
$dir/kernemit $dir "$seed" "${INSTANCES:-0}" "$@" || exit 1
top=$PWD
(cd $dir && ls *.c | xargs -P2 -n8 gcc -std=c11 -D_GNU_SOURCE -I"$top" \
    -I"$top/src" -O${O:-0} -fsanitize=address,undefined -fno-sanitize-recover -c) ||
    exit 1
${HOSTCC:-gcc} $flags -O1 -fsanitize=address,undefined -o $dir/kern test/kern/kern.c \
    test/kern/kerndraw.c test/kern/kernedge.c $dir/*.o $lib -lzip -lm || exit 1
if ! $dir/kern "$seed" "$runs"; then
    echo "seed $seed"
    exit 1
fi
