#!/bin/sh
# Devices programmed with odd values, under ASan and UBSan.
# test/sim/poke.t SEED RUNS tries others.
# Sanitizers: its own.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
. test/sim/asan
$host $flags -o $out/sim-poke test/sim/poke.c $asan build/packed.o \
    build/packdata.o $libs || exit 1
ASAN_OPTIONS=detect_leaks=0 timeout 300 $out/sim-poke "${1:-1}" "${2:-30}"
