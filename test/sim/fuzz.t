#!/bin/sh
# Random programs and half-broken ones.
# test/sim/fuzz.t SEED RUNS tries others.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
$host -o $out/sim-fuzz test/sim/fuzz.c $objects $libs || exit 1
$out/sim-fuzz "${1:-1}" "${2:-200}"
