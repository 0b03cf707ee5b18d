#!/bin/sh
# A chip with two accelerators, both at work: MLPerf's kind of network of windows
# of three by three and of one tap, and random layers, bit for bit as on the
# host; registers and events of each are its own.  two.t [SEED]
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
seed=${1:-${SEED:-$(date +%s)}}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
two() {
    ./tilewright run "$@" -t test/gen/two/two.soc --kernels test/gen/two -q ||
        { echo "seed $seed: $*"; exit 1; }
}
net=zoo/resnet8-int
for how in "" --emulate "--objective memory" "--l1 16000"; do
    [ "$how" = "" ] || [ "$how" = --emulate ] || whole || continue
    # shellcheck disable=SC2086
    two $net/network.onnx -i $net/inputs.npz -e $net/outputs.npz $how \
        --json "$dir/j"
    for name in ne16 twin; do
        grep -q "\"engine\": \"$name\"" "$dir/j" ||
            { echo "nothing went to $name: $how"; exit 1; }
    done
done
./tilewright compile $net/network.onnx -t test/gen/two/two.soc -q \
    --kernels test/gen/two -o "$dir/net" || exit 1
for one in 0x10201000 0x10202000 0xc 0xd; do
    grep -q "define RT_UNIT.*${one}u" "$dir/net/network.c" ||
        { echo "no $one in the generated code"; exit 1; }
done
QUICK=1 CHIP=test/gen/two/two.soc ENGINE=twin TYPES='u8 u8 s8' \
    test/gen/neureka.t "$seed" "$(part 12 4)" --kernels test/gen/two || exit 1
echo "two accelerators on one chip, each with its own jobs"
