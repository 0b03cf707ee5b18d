#!/bin/sh
# A few networks on every emulated chip, one of each kind; chips.long has all.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh

if [ "$1" = --one ]; then
    json=$(mktemp)
    trap 'rm -f "$json"' EXIT
    ./tilewright run zoo/$2/network.onnx -t $3 -q -i zoo/$2/inputs.npz \
        -e zoo/$2/outputs.npz --json "$json" &&
        grep -q '"match": true' "$json" &&
        grep -q '^  "instructions": [1-9]' "$json"
    exit
fi
runs=
for net in dscnn-int resnet8-qdq-u8-pc transformer-f32; do
    for t in cortex-m4 cortex-m7 cortex-m55 rv32imc; do
        i=$((${i:--1} + 1))
        whole || [ $((i % 5)) = 0 ] || continue # another network on each chip
        runs="$runs $net $t"
    done
done
# shellcheck disable=SC2086
printf '%s\n' $runs | xargs -P 2 -n 2 "$0" --one || exit 1
echo "$(($(echo $runs | wc -w) / 2)) runs on emulated chips match"
