#!/bin/sh
# Devices programmed with odd values.
# test/sim/poke.t SEED RUNS tries others.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
$host -o $out/sim-poke test/sim/poke.c $objects $libs || exit 1
timeout 300 $out/sim-poke "${1:-1}" "${2:-30}"
