#!/bin/sh
# Weights that do not fit beside the code lie in a second flash in the address
# space, as C and as a binary, and QEMU computes the same with them.
cd "$(dirname "$0")/../.." || exit 1
make -s tilewright || exit 1
command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm \
    >/dev/null || { echo "no arm-none-eabi-gcc, QEMU: skipped"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/small.soc" <<'X'
include cortex-m7-ext
chip small about="little flash of its own"
memory FLASH size=56K
X
net=zoo/resnet8-int
bad() { echo "far.t: $1"; cat "$tmp/log"; exit 1; }
for how in --no-bin --bin; do
    rm -rf "$tmp/p"
    ./tilewright run $net/network.onnx -i $net/inputs.npz -t "$tmp/small.soc" \
        -e $net/outputs.npz $how --keep "$tmp/p" >"$tmp/log" 2>&1 ||
        bad "$how: does not run"
    grep -q 'constants: [0-9]* bytes in FLASH, [0-9]* in XFLASH' "$tmp/log" ||
        bad "$how: weights are not in both memories"
    elf=$(find "$tmp/p" -name '*.elf' | head -1)
    far=$(arm-none-eabi-nm "$elf" | grep -c '^60[0-9a-f]* [Rr] network_w')
    near=$(arm-none-eabi-nm "$elf" | grep -c '^00[0-9a-f]* [Rr] network_w')
    [ "$far" -gt 0 ] && [ "$near" -gt 0 ] ||
        bad "$how: $far constants far, $near near"
done

# What a kernel goes through four times lies near, and what once lies far; the
# cycles that are predicted for it are those that the plugin estimates.
sed 's/56K/160K/' "$tmp/small.soc" >"$tmp/tight.soc"
net=zoo/mobilenetv1-0.25-128-int
./tilewright run $net/network.onnx -i $net/inputs.npz -t "$tmp/tight.soc" \
    --json "$tmp/json" >"$tmp/log" 2>&1 || bad "does not run"
python3 - "$tmp/json" <<'X' || bad "other waits than wanted"
import json, sys
j = json.load(open(sys.argv[1]))
wait = {l['name']: l['predicted_wait'] for l in j['layers']}
print(wait, j['predicted_cycles'], j['estimated_cycles'])
assert 0 < wait['conv_15_acc'] < wait['conv_27_acc'] < wait['dense_30_acc']
assert .9 < j['predicted_cycles'] / j['estimated_cycles'] < 1.1
X
echo "weights in two flashes, as C and as a binary: all right"
