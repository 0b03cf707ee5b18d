#!/bin/sh
# Networks on simulated clusters: the stored outputs, cycles of every layer, and
# the same results on fewer cores; what does not fit, and programs that fail.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
command -v riscv64-unknown-elf-gcc >/dev/null ||
    { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

run() { # NETWORK TARGET [OPTION...]: its cycles
    net=zoo/$1/network.onnx data=zoo/$1 chip=$2
    shift 2
    ./tilewright run $net -t "$chip" -q -i $data/inputs.npz \
        -e $data/outputs.npz --json "$tmp/j" "$@" >&2 || exit 1
    grep -q '"match": true' "$tmp/j" || exit 1
    sed -n 's/^  "cycles": \([0-9]*\),/\1/p' "$tmp/j"
}

fail() {
    echo "$*"
    exit 1
}

for chip in gap8 siracusa; do
    for net in $(printf '%s\n' dscnn-int autoencoder-int transformer-int |
        each); do
        eight=$(run $net $chip) || fail "$net on $chip"
        [ "$eight" -gt 0 ] || fail "$net on $chip: no cycles"
        grep -q '^ *"cycles": null' "$tmp/j" &&
            fail "$net on $chip: a layer without cycles"
        n=$((n + 1))
    done
done
# the last one again: each core does its share
eight=$(run dscnn-int siracusa --no-engine neureka) || fail "cores alone"
for cores in 1 3; do
    [ $cores = 3 ] || whole || continue
    few=$(run dscnn-int siracusa --cores $cores --no-engine neureka) || fail "$cores cores"
    [ $((few * cores * 10)) -gt $((eight * 8 * 7)) ] &&
        [ "$few" -gt $((eight * 2)) ] ||
        fail "$cores cores: $few cycles, 8 cores: $eight"
    n=$((n + 1))
done
[ $((few / eight)) -ge 2 ] || fail "8 cores are not faster than 3"
./tilewright run zoo/dscnn-int/network.onnx -t gap8 --cores 9 -q 2>/dev/null
[ $? = 2 ] || fail "nine cores of eight"

# the project alone: make run starts the simulator
./tilewright compile zoo/transformer-int/network.onnx -t gap8 -q \
    -i zoo/transformer-int/inputs.npz -o "$tmp/p" >&2 &&
    PATH=$PWD:$PATH make -s -C "$tmp/p" run >"$tmp/said" 2>&1 &&
    grep -q 'self-test passed' "$tmp/said" ||
    fail "make run: $(cat "$tmp/said")"
n=$((n + 1))

# constants of 21 KB, and code, in an L2 of 40: what is missing is said, and
# is enough
small() { # SIZE [LINE]: of the L2
    printf '%s\n' 'include gap8' 'chip small about="a GAP8 with little L2"' \
        "memory L2 size=$1" "$2" >"$tmp/small.soc"
}
missing() {
    sed -n 's/.*L2 needs .* of code: \([0-9]*\) bytes are .*/\1/p' "$tmp/said" |
        grep . || echo "$(cat "$tmp/said")" >&2
}
small 40K
./tilewright compile zoo/resnet8-int/network.onnx -t "$tmp/small.soc" -q \
    -o "$tmp/q" --json "$tmp/j" 2>"$tmp/said"
[ $? = 3 ] || fail "too small an L2 is not refused"
small $((40 * 1024 + $(missing)))
run resnet8-int "$tmp/small.soc" >/dev/null ||
    fail "that much more is not enough"

# nor is it for a project with its self-test: drawn, or with what it is given
for given in '' '-i zoo/resnet8-int/inputs.npz'; do
    [ -z "$given" ] || whole || continue
    rm -rf "$tmp/q"
    size=$((40 * 1024))
    small $size
    ./tilewright compile zoo/resnet8-int/network.onnx -t "$tmp/small.soc" -q \
        $given -o "$tmp/q" 2>"$tmp/said" && fail "too small for a project"
    small $((size + $(missing)))
    ./tilewright compile zoo/resnet8-int/network.onnx -t "$tmp/small.soc" -q \
        $given -o "$tmp/q" && PATH=$PWD:$PATH make -s -C "$tmp/q" run \
        >"$tmp/said" 2>&1 && grep -q 'self-test passed' "$tmp/said" ||
        fail "a project $given: $(tail -n 3 "$tmp/said")"
done

# more code than is kept for it: planned again with what the linker found, which
# is more than there is; and enough of it
big='toolchain riscv cflags="-O2 -falign-functions=4096 -march=rv32imc
    -misa-spec=2.2 -mabi=ilp32 -mno-relax --specs=picolibc.specs"'
big=$(echo "$big" | tr -s '\n ' ' ')
small 100000 "$big"
./tilewright run zoo/resnet8-int/network.onnx -t "$tmp/small.soc" -q -v \
    >"$tmp/said" 2>&1
[ $? = 3 ] && grep -q 'planned again: L2 lacks [0-9]* bytes' "$tmp/said" &&
    [ "$(missing)" -gt 50000 ] || fail "too much code: $(tail -n 3 "$tmp/said")"
small 480K "$big"
run resnet8-int "$tmp/small.soc" >/dev/null || fail "much code"
n=$((n + 2))
echo "$n runs on clusters match, one refused"
