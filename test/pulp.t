#!/bin/sh
# Networks on simulated clusters: the stored outputs, cycles of every layer, and
# the same results on fewer cores; what does not fit, and programs that fail.
cd "$(dirname "$0")/.." || exit 1
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
    for net in autoencoder-int transformer-int dscnn-int; do
        eight=$(run $net $chip) || fail "$net on $chip"
        [ "$eight" -gt 0 ] || fail "$net on $chip: no cycles"
        grep -q '^ *"cycles": null' "$tmp/j" &&
            fail "$net on $chip: a layer without cycles"
        n=$((n + 1))
    done
done
# the last one again: each core does its share
for cores in 1 3; do
    few=$(run dscnn-int siracusa --cores $cores) || fail "$cores cores"
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

# constants of 21 KB in an L2 of 16: what is missing is said
small=$tmp/small.soc
cat >"$small" <<'END'
include gap8
chip small about="a GAP8 with little L2" rt=pulp io=semihost run=sim compute=cluster
memory L2 size=16K
END
./tilewright compile zoo/resnet8-int/network.onnx -t "$small" -q \
    -o "$tmp/q" --json "$tmp/j" 2>"$tmp/said"
[ $? = 3 ] || fail "too small an L2 is not refused"
lacks=$(grep -o 'L2 needs [0-9]* bytes for weights, has 16384: [0-9]* bytes' \
    "$tmp/said" | tr -dc '0-9 ' | awk '{print $2 - 16384 == $4 ? "right" : 0}')
[ "$lacks" = right ] ||
    fail "what is missing: $(cat "$tmp/said")"
echo "$n runs on clusters match, one refused"
