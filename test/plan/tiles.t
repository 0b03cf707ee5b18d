#!/bin/sh
# Random networks in little memory (test/plan/tiles.c): plans are sound and compute
# what they should; a handful runs on simulated chips.  More: test/plan/tiles.long.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
make -s build/test/tiles || exit 1
for net in $(printf '%s\n' resnet8-int transformer-int \
    mobilenetv1-0.25-128-int | each); do
    build/test/tiles model zoo/$net/network.onnx siracusa 16000 -1 || exit 1
done
# Constants that are fetched from the L3.
cat >build/test/less.soc <<'END'
include gap8
chip less about="a GAP8 with less L2" rt=pulp io=semihost run=sim compute=cluster
memory L2 size=224K
END
build/test/tiles model zoo/mobilenetv1-0.25-128-int/network.onnx \
    build/test/less.soc 40000 -1 || exit 1
# A kernel may have more than half of the L1 for its scratch.
./tilewright report zoo/mobilenetv1-0.25-128-int/network.onnx -t gap8 \
    --l1 20000 |
    grep -q conv_taps_scale32_xpulp || { echo "no room for scratch"; exit 1; }
# One whose scratch is as its tile's size is fast where there is little.
[ "$(./tilewright report zoo/mobilenetv1-0.25-128-int/network.onnx \
    -t gap8 --l1 8000 | grep -c conv_depth3_scale32)" = 13 ] ||
    { echo "slow depthwise kernels where the L1 is small"; exit 1; }
# Floats without a unit are not taken for cheap: a layer of which nothing is moved
# is not cut so that another kernel looks better.
cat >build/test/floats.il <<'END'
graph "floats"
x = input : s16[1,512]
k = const : f32[] {0.001}
y = dequantize x k : f32[1,512]
output y
END
./tilewright report build/test/floats.il -t siracusa |
    grep -q 'dequantize_soft_xpulp *0 ' ||
    { echo "dequantize is cut, or not by whole numbers"; exit 1; }
# Channels are cut where columns might be and there are too few.
build/test/tiles model test/plan/tiles/sums.nn gap8 70000 -1 |
    grep '1 of 1 layers in tiles.*right' ||
    { echo "sums.nn is not cut"; exit 1; }
# Results that follow operands.
build/test/tiles model test/plan/tiles/twice.nn gap8 4332 6420 &&
    build/test/tiles model test/plan/tiles/joined.nn siracusa 22068 80000 || exit 1
# Inputs and outputs that the L2 is too small for.
command -v riscv64-unknown-elf-gcc >/dev/null && how=build || how=model
while read -r net chip l1 l2; do
    build/test/tiles $how test/plan/tiles/$net.nn $chip $l1 $l2 || exit 1
done <<END || exit 1
$(printf '%s\n' 'map siracusa 16000 8000' 'picture gap8 16000 60000' \
    'camera gap8 -1 -1' 'powers siracusa 40000 -1' \
    'readers siracusa 9000 3000' | each)
END
# Attention for whose kernels' scratch there is no room is not one operator.
for engine in '' '--no-engine neureka'; do
    # shellcheck disable=SC2086
    ./tilewright report test/plan/tiles/attention.nn -t siracusa $engine |
        grep -q ishare_int_xpulp ||
        { echo "attention with no room for scratch: $engine"; exit 1; }
done
# One that lacks both memories on a chip with little L2, and one for whose
# constants the chip itself has too little; and one that needs less than it may
# have, with a shorter program.
cat >build/test/little.soc <<'END'
include gap8
chip little about="a GAP8 with little L2" rt=pulp io=semihost run=sim compute=cluster
memory L2 size=72K
END
build/test/tiles plan 1795309369 4 gap8 siracusa build/test/little.soc &&
    build/test/tiles plan 987881 2 gap8 siracusa build/test/little.soc &&
    build/test/tiles plan 5670 1 gap8 siracusa build/test/little.soc || exit 1
build/test/tiles plan "${1:-1}" "$(part 100)" || exit 1
command -v riscv64-unknown-elf-gcc >/dev/null ||
    { echo "no riscv64-unknown-elf-gcc: plans only"; exit 0; }
build/test/tiles run "${1:-1}" "${2:-$(part 6)}"
