#!/bin/sh
# Random programs and half-broken ones, under ASan and UBSan.
# test/sim/fuzz.t SEED RUNS tries others.
# Sanitizers: its own.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
. test/sim/asan
$host $flags -o $out/sim-fuzz test/sim/fuzz.c $asan build/packed.o \
    build/packdata.o $libs || exit 1
ASAN_OPTIONS=detect_leaks=0 $out/sim-fuzz "${1:-1}" "${2:-200}"
