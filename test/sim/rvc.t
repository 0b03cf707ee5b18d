#!/bin/sh
# Compressed instructions against what the assembler says they stand for.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
$host -o $out/sim-rvc test/sim/rvc.c $objects $libs || exit 1
[ $have_cross ] || { $out/sim-rvc; exit; }
python3 test/sim/rvc.py >$out/rvc.S
$cross -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -c -o $out/rvc.o \
    $out/rvc.S || exit 1
for s in small large jumps; do
    riscv64-unknown-elf-objcopy -O binary -j .$s \
        --set-section-flags .$s=alloc,load,contents $out/rvc.o \
        $out/rvc.$s || exit 1
done
$out/sim-rvc $out/rvc.small $out/rvc.large $out/rvc.jumps
