#!/bin/sh
# Kernels get scratch memory that lies idle beside them, no memory is used
# further for it, results overlap what they are made of, and stay what they are.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=zoo/resnet8-int
./tilewright compile $n/network.onnx -t cortex-m4 -q -o "$tmp/net" \
    --json "$tmp/json" || exit 1
rooms=$(sed -n 's/.*\.room = \([0-9]*\)}.*/\1/p' "$tmp/net/network.c" |
    sort -n | uniq)
most=$(echo "$rooms" | tail -n 1)
least=$(echo "$rooms" | head -n 1)
[ "$(echo "$rooms" | wc -l)" -ge 4 ] && [ "$most" -gt $((4 * least)) ] ||
    { echo "scratch memory of $rooms bytes"; exit 1; }
python3 - "$tmp/json" <<'END' || exit 1
import json, sys
r = json.load(open(sys.argv[1]))
if r['ram_bytes'] != r['ram_lower_bound']:
    sys.exit('%d bytes of RAM, bound %d' % (r['ram_bytes'], r['ram_lower_bound']))
if r['ram_bytes'] >= 3 * 8 * 32 * 32: # what its widest block holds, kept apart
    sys.exit('%d bytes of RAM' % r['ram_bytes'])
END
./tilewright run $n/network.onnx -t host -q -i $n/inputs.npz \
    -e $n/outputs.npz || exit 1
if command -v arm-none-eabi-gcc >/dev/null &&
    command -v qemu-system-arm >/dev/null; then
    ./tilewright run $n/network.onnx -t cortex-m4 -q -i $n/inputs.npz \
        -e $n/outputs.npz || exit 1
fi
# It begins where a buffer of the memory may begin.
sed '/^memory RAM/s/align=8/align=64/' soc/cortex-m4.soc >"$tmp/m4.soc"
./tilewright compile zoo/attention-ecg-int/network.onnx -t "$tmp/m4.soc" -q \
    -o "$tmp/aligned" || exit 1
echo "scratch memory of $least to $most bytes, RAM at its bound"
