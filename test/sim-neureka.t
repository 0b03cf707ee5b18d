#!/bin/sh
# N-Eureka's results and cycles.  test/sim-neureka.t SEED JOBS tries others.
cd "$(dirname "$0")/.." || exit 1
. test/sim/build
printf 'include siracusa\naccel neureka tile=32\n' >$out/neureka32.soc
$host -o $out/sim-neureka test/sim/neureka.c $objects $libs || exit 1
$out/sim-neureka $out/neureka32.soc "${1:-1}" "${2:-2000}"
