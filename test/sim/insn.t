#!/bin/sh
# Every instruction of XpulpV2 and RV32IM against a plain model of its own.
# test/sim/insn.t SEED TIMES tries other operands.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
$host -o $out/sim-insn test/sim/insn.c $objects $libs || exit 1
$out/sim-insn test/sim/xpulpv2.tsv "${1:-1}" "${2:-300}"
