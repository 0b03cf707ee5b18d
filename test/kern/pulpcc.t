#!/bin/sh
# What the PULP compiler makes of the kernels, by a stand-in: gcc with its
# builtins in plain C, and an assembler that knows no .insn.  pulpcc.t [SEED]
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
. test/sim/conv
. test/sim/kernels
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
seed=${1:-${SEED:-$(date +%s)}}
judge() { # what, program
    $SIM $out/$2.elf -t siracusa >$out/$2.txt 2>&1 &&
        grep -q "bad 0*$" $out/$2.txt && return
    echo "$1, seed $seed:"
    cat $out/$2.txt
    exit 1
}
stock=$cross
pulp="$cross -Btest/kern/pulpcc/ -include test/kern/pulpcc/builtins.h \
-DXP_CLOBBERS=\"memory\""

# Words are made in one place, of forms that the macro knows; clobbers wherever
# there is a loop.
grep -rnE '"[^"]*\.insn' kern | grep -v '^kern/insn\.h:' &&
    { echo "an instruction without a name"; exit 1; }
grep -nE '"[a-z] 0x' kern/insn.h | grep -vE '"[ri] ' &&
    { echo "no such form"; exit 1; }
for f in $(grep -rl 'xlp.setup 0' kern | grep -v 'xpulp\.h\|_asm\.h'); do
    awk '/__asm__/ { loop = told = 0 }
         /xlp.setup/ { loop = 1 }
         /XP_CLOBBERS/ { told = 1 }
         /\); *\\?$/ { bad += loop && !told; loop = 0 }
         END { exit bad > 0 }' "$f" ||
        { echo "$f: a loop without XP_CLOBBERS"; exit 1; }
done

# Every helper, by builtin and by name.
$pulp -O2 -std=gnu99 -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -ffreestanding \
    -I. -DBUILTINS -DFN=builtins -c -o $out/builtins.o test/sim/helpers.c ||
    exit 1
guest helpers siracusa $out/builtins.o -DFN=insns -DSEED="$((seed % 1000000))"u
judge "helpers" helpers

# Some kernels on the chip, and what another compiler thinks of them.
cross=$pulp
other() {
    command -v clang >/dev/null || return
    clang --target=riscv32-unknown-elf -march=rv32imc -mabi=ilp32 -O2 \
        -std=gnu99 -ffreestanding -Wall -Wextra -Werror -I. -c \
        -o $out/other.o $out/fast.c || exit 1
}
conv conv_last_int uint8 int8 uint8 -DSEED=1u -DRUNS=4
other
judge conv_last_int conv
conv conv_depth_scale32 int8 int8 int8 -DSEED=2u -DRUNS=4
other
judge conv_depth_scale32 conv
conv conv_depth3_scale32 uint8 int8 int8 -DSEED=4u -DRUNS=4
other
judge conv_depth3_scale32 conv
kernel matmul_transb_scale32 uint8 uint8 uint8 -DSEED=3u -DRUNS=4
other
judge matmul_transb_scale32 kernels

# All files of a project for the SDKs but those that are theirs; and the frames
# of what works through the program on core 0, for which main.c has a stack.
rm -rf $out/pulpcc
./tilewright compile zoo/transformer-int/network.onnx -t gap9 -q -n net \
    --runtime pmsis -i zoo/transformer-int/inputs.npz -o $out/pulpcc || exit 1
grep -q 'stack_size = NET_STACK_BYTES + 1600;' $out/pulpcc/main.c ||
    { echo "another stack of core 0"; exit 1; }
n=0
for f in $out/pulpcc/net*.c $out/pulpcc/kern/net_*.c; do
    $pulp -O2 -std=gnu99 -march=rv32imc -misa-spec=2.2 -mabi=ilp32 \
        --specs=picolibc.specs -I$out/pulpcc -Werror=frame-larger-than=1088 \
        -c -o $out/x.o "$f" || exit 1
    others=$(riscv64-unknown-elf-nm -g --defined-only $out/x.o |
        awk '$3 !~ /^net_/ { print $3 }')
    [ -z "$others" ] || { echo "$f: not named after net: $others"; exit 1; }
    n=$((n + 1))
done
echo "43 helpers by builtin and by name, 4 kernels, $n files of a project"
