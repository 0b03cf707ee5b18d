#!/bin/sh
# A few networks on every emulated chip, one of each kind; chips.long has all.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
for net in dscnn-int resnet8-qdq-u8-pc transformer-f32; do
    for t in cortex-m4 cortex-m7 cortex-m55 rv32imc; do
        ./tilewright run zoo/$net/network.onnx -t $t -q \
            -i zoo/$net/inputs.npz -e zoo/$net/outputs.npz \
            --json "$tmp/j" || exit 1
        grep -q '"match": true' "$tmp/j" || exit 1
        grep -q '^  "instructions": [1-9]' "$tmp/j" || exit 1
        n=$((n + 1))
    done
done
echo "$n runs on emulated chips match"
