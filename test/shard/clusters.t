#!/bin/sh
# A network as a project for each chip with a cluster: all together on the simulator,
# every layer has its bits, with sums that are sent beside work, constants in external
# memory, rows of images, pipelines, other topologies.  A chip of another model or
# another number of chips is told, as is a layer that differs.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
. test/shard/simulated
PATH=$PWD:$PATH
fault() { echo "$*"; bad=1; }
shard() { # DIR MODEL TARGET CHIPS OPTION...
    dir=$tmp/$1 model=$2 target=$3 chips=$4
    shift 4
    ./tilewright shard "$model" -t "$target" --chips "$chips" -o "$dir" "$@" \
        >"$dir.text" 2>&1 || fault "$(cat "$dir.text")"
}
together() { # DIR: status
    timeout 200 "$tmp/$1/run" -j2 >"$tmp/said" 2>&1
}
right() { # DIR MODEL TARGET CHIPS OPTION...
    shard "$@"
    together "$1" && [ "$(grep -c '^[a-z0-9_]*: self-test passed$' "$tmp/said")" = "$4" ] ||
        fault "$*: $(cat "$tmp/said")"
}
wrong() { # STATUS WHAT WORDS: of chips in net
    status=$1
    shift
    together net
    [ $? = "$status" ] && grep -q "$2" "$tmp/said" || fault "$1: $(cat "$tmp/said")"
}
net=zoo/transformer-int/network.onnx
right net $net siracusa 8 --inner sums
grep -q ' gather ' "$tmp/net/plan.txt" && grep -q ' sum ' "$tmp/net/plan.txt" &&
    python3 -m json.tool <"$tmp/net/plan.json" >/dev/null ||
    fault "$(cat "$tmp/net/plan.txt")"
# what a link of 16 chips keeps in L1 lies beside the room that is planned with
shard many $net siracusa-500 16 --inner sums -v
make -s -C "$tmp/many/chip0" >"$tmp/said" 2>&1 || fault "$(cat "$tmp/said")"
kept=$(riscv64-unknown-elf-size -A "$tmp/many/chip0/build/network.elf" |
    awk '$1 ~ /^\.(stack|team|bss)$/ { n += $2 } END { print n }')
room=$(sed -n 's/^memory L1: .* of \([0-9]*\) for.*/\1/p;T;q' "$tmp/many.text")
[ $((kept + room)) -le $((256 << 10)) ] ||
    fault "16 chips: $kept bytes of L1 beside a room of $room"
python3 test/shard/many.py "$tmp/16.onnx" 16 || exit 1
# a gather of which other pieces still come has no result to compare
right beside "$tmp/16.onnx" siracusa-500 8 --inner gather
sed 's/^memory L2 size=2M/memory L2 size=1M/' soc/siracusa-500.soc >"$tmp/1M.soc"
if whole; then
    right far "$tmp/16.onnx" "$tmp/1M.soc" 2 --inner sums
    [ -s "$tmp/far/chip1/net_16_l3.bin" ] &&
        grep -q '| partsend |' "$tmp/far/chip1/README.md" ||
        fault "$(cat "$tmp/far/chip1/README.md")"
    right ring $net siracusa-500 4 --topology ring
    grep -q -- '--topology ring' "$tmp/ring/run" ||
        fault "$(cat "$tmp/ring/run")"
    # layer 7: the next one writes over its result beside the accelerator's
    right gap9 zoo/resnet8-int/network.onnx gap9 3 --images rows
fi
right pipe zoo/dscnn-int/network.onnx siracusa-500 3 --pipeline

# chips 0 and 1 of eight
cd "$tmp/net" || exit 1
tilewright sim --all -t siracusa chip0/build/network.elf \
    chip1/build/network.elf >"$tmp/said" 2>&1
[ $? = 5 ] && grep -q 'for another place or number of chips .* chip 0, at the' \
    "$tmp/said" || fault "two of eight: $(cat "$tmp/said")"
cd - >/dev/null || exit 1
sed -i 's/LINK_OF 8/LINK_OF 7/' "$tmp/net/chip7/rt/link/here.h"
wrong 5 'seven chips' 'chip 7: a program for another .* number of chips'
sed -i 's/LINK_OF 7/LINK_OF 8/' "$tmp/net/chip7/rt/link/here.h"
sed -i 's/\(checks\[[A-Za-z_]*\] = {\)/\1{NULL, 1, 1, 0u}, /' \
    "$tmp/net/chip5/network_selftest.c"
wrong 4 'a layer that differs' 'network: first layer that differs: 0x'
sed -i 's/\(LINK_MODEL_HASH UINT64_C(0x\).\{16\}/\10123456789abcdef/' \
    "$tmp/net/chip3/rt/link/here.h"
wrong 5 'another model' 'chip 3: another model.* on chip 0, at the start'
TILEWRIGHT=$tmp/none together pipe
[ $? = 5 ] && grep -q "no program $tmp/none: put it on the PATH" "$tmp/said" ||
    fault "no simulator: $(cat "$tmp/said")"
[ $bad = 0 ] && echo "2 to 8 clusters as projects, five faults told"
[ $bad = 0 ]
