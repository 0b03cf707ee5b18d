#!/bin/sh
# Random programs and half-broken ones, under ASan and UBSan.
# test/sim-fuzz.t SEED RUNS tries others.
cd "$(dirname "$0")/.." || exit 1
. test/sim/build
mkdir -p $out/asan
flags="-fsanitize=address,undefined -fno-sanitize-recover=all -O0 -g0"
for f in src/sim/*.c src/soc/*.c src/base/*.c; do
    o=$out/asan/$(echo $f | tr / _).o
    [ $o -nt $f ] && [ $o -nt src/sim/chip.h ] && [ $o -nt src/sim/insn.def ] &&
        [ $o -nt src/sim/sim.h ] && continue
    $host $flags -c -o $o $f || exit 1
done
$host $flags -o $out/sim-fuzz test/sim/fuzz.c $out/asan/*.o build/packed.o \
    build/packdata.o $libs || exit 1
ASAN_OPTIONS=detect_leaks=0 $out/sim-fuzz "${1:-1}" "${2:-200}"
