#!/bin/sh
# Weights of four bits, two a byte or a byte each, give the same: of a model of
# TensorFlow Lite and one in ONNX what these are known to give, of random graphs
# what the host gives, which has bytes: nibbles.t [SEED].
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
seed=${1:-${SEED:-$(date +%s)}}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() {
    echo "seed $seed: $*"
    exit 1
}
python3 -c 'import onnx, numpy' 2>/dev/null || { echo "no onnx: skipped"; exit 0; }
targets=rv32imc
command -v riscv64-unknown-elf-gcc >/dev/null || targets=
command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null &&
    targets="cortex-m4 $targets cortex-m7 cortex-m55"
# shellcheck disable=SC2086
targets=$(printf '%s\n' $targets | each)
python3 test/plan/nibbles.py "$seed" "$tmp" || fail "no models"
weights() { # JSON
    tr -d ' \n' <"$1" | grep -o '"weights_bytes":[0-9]*' | tr -dc '0-9\n'
}
run() { # MODEL TARGET INPUTS OUTPUTS [OPTION...]
    model=$1 target=$2 in=$3 out=$4
    shift 4
    ./tilewright run -n network "$model" -t "$target" -i "$in" -e "$out" -q \
        --json "$tmp/j" "$@" >"$tmp/said" 2>&1 ||
        { cat "$tmp/said"; fail "$model on $target $*"; }
    weights "$tmp/j"
}
runs=0
both() { # MODEL INPUTS OUTPUTS: all targets, both ways; flash takes hardly half
    bytes=$(run "$1" host "$2" "$3") || { echo "$bytes"; exit 1; }
    for t in host $targets; do
        run "$1" $t "$2" "$3" >"$tmp/n" || { cat "$tmp/n"; exit 1; }
        packed=$(run "$1" $t "$2" "$3" --objective flash) ||
            { echo "$packed"; exit 1; }
        [ $((packed * 100)) -le $((bytes * $4)) ] ||
            fail "$1 on $t: $packed bytes of $bytes"
        grep -q '"kernel": "pconv_' "$tmp/j" || fail "$1 on $t: none is packed"
        grep -q '"kernel": "pconv_int_ref' "$tmp/j" && fail "$1 on $t: plain"
        runs=$((runs + 2))
    done
}
dir=test/front/tflite/weights-of-four-bits
both $dir/network.tflite $dir/inputs.npz $dir/outputs.npz 61
! whole || both "$tmp/net.onnx" "$tmp/onnx.npz" "$tmp/want.npz" 58
./tilewright run -n network "$tmp/any.il" -t host -q -i "$tmp/any.npz" \
    -o "$tmp/out.npz" \
    --json "$tmp/h" >/dev/null || fail host
both "$tmp/any.il" "$tmp/any.npz" "$tmp/out.npz" 70

# As many are packed as must be that all fit.
bytes=$(weights "$tmp/h") packed=$(run "$tmp/any.il" host "$tmp/any.npz" \
    "$tmp/out.npz" --objective flash)
case $targets in *cortex-m4*)
    room=$(((bytes + packed) / 2))
    some=$(run "$tmp/any.il" cortex-m4 "$tmp/any.npz" "$tmp/out.npz" \
        --mem FLASH=$room) || { echo "$some"; exit 1; }
    [ "$some" -le $room ] && [ "$some" -gt "$packed" ] ||
        fail "$some bytes in $room"
esac
echo "$runs runs with the same results, $packed bytes for $bytes," \
    "seed $seed"
