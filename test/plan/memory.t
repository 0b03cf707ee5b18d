#!/bin/sh
# Plans for least memory never take more than those for least time, and
# compute the same.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
json=$(mktemp) out=$(mktemp)
trap 'rm -f $json $out' EXIT

# bytes NET TARGET OBJECTIVE: of RAM, or of L2 with its constants
bytes() {
    ./tilewright report "zoo/$1/network.onnx" -t "$2" --objective "$3" \
        --json "$json" >/dev/null || return 1
    grep -q "\"objective\": *\"$3\"" "$json" || return 1
    tr -d ' \n' <"$json" | grep -o '"name":"\(L2\|RAM\)","used":[0-9]*' |
        tr -dc '0-9\n' | sed 's/^2//' | head -n 1
}

less() { # NET TARGET
    time=$(bytes "$1" "$2" time) && memory=$(bytes "$1" "$2" memory) ||
        { echo "$1 on $2 is refused"; exit 1; }
    [ "$memory" -le "$time" ] ||
        { echo "$1 on $2: $memory bytes for least memory, else $time"; exit 1; }
    nets=$((nets + 1)) fewer=$((fewer + (memory < time)))
}

nets=0 fewer=0
for net in $(ls zoo/*/network.onnx | each); do
    [ -f "${net%/*}/options" ] && continue
    less "$(basename "$(dirname "$net")")" cortex-m4
done
for net in autoencoder-int dscnn-int resnet8-int; do
    less $net gap8
done
less cifar10-int siracusa # words of 28 channels are not cut
run() {
    ./tilewright run zoo/$1/network.onnx -t "$2" -i zoo/$1/inputs.npz \
        -e zoo/$1/outputs.npz -q --objective memory >"$out" 2>&1 ||
        { cat "$out"; exit 1; }
}
run dscnn-int host

# Of less memory than the quickest plan takes, attention goes through groups of
# heads, and layers have kernels with less scratch, as few as need be.
within() { # BYTES OBJECTIVE, the same as the quickest computes
    ./tilewright run zoo/attention-ecg-int/network.onnx -t cortex-m4 -q \
        -i zoo/attention-ecg-int/inputs.npz --mem RAM="$1" \
        -e zoo/attention-ecg-int/outputs.npz --objective "$2" --json "$json" ||
        { echo "attention in $1 bytes"; exit 1; }
    instructions=$(sed -n 's/^  "instructions": \([0-9]*\),*$/\1/p' "$json")
}
command -v qemu-system-arm >/dev/null && {
    within 5500 time && most=$instructions
    within 4200 time && limited=$instructions
    within 4200 memory
    [ "$most" -lt "$limited" ] && [ "$limited" -lt $((most * 11 / 10)) ] &&
        [ "$limited" -lt "$instructions" ] ||
        { echo "instructions: $most, $limited in less"; exit 1; }
}
command -v riscv64-unknown-elf-gcc >/dev/null && {
    run dscnn-int gap8
    run cifar10-int siracusa
}
echo "$nets networks planned for least memory, $fewer take less, none more"
