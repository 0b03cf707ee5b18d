#!/bin/sh
# Devices of MLPerf Tiny's harness: projects of --package mlperf-tiny answer its
# text protocol, on this machine and on QEMU, with the scores that are expected:
# small networks of zoo/, and the benchmark's own where they are.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
models=${TILEWRIGHT_MODELS:-../shared/models}/mlperf-tiny
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
device() { # MODEL TARGET IN.npz OUT.npz
    rm -rf "$tmp/p"
    ./tilewright compile "$1" -q -n net -t "$2" --package mlperf-tiny \
        -o "$tmp/p" || exit 1
    make -s -C "$tmp/p" CFLAGS="$(sed -n 's/^CFLAGS = //p' "$tmp/p/Makefile") \
        -Wall -Wextra -Werror" >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
    python3 test/gen/mlperf.py "$tmp/p" "$3" "$4" make -s -C "$tmp/p" run \
        >"$tmp/log" 2>&1 || { echo "$1 on $2"; cat "$tmp/log"; exit 1; }
    n=$((n + 1))
}
arm=$(command -v arm-none-eabi-gcc >/dev/null &&
    command -v qemu-system-arm >/dev/null && echo cortex-m4)
for t in host $arm; do
    for net in $(printf '%s\n' dscnn-int resnet8-int | each); do
        device zoo/$net/network.onnx $t zoo/$net/inputs.npz zoo/$net/outputs.npz
    done
done
for net in $(printf '%s\n' kws ic vww ad | each); do
    [ -d "$models/$net" ] && device "$models/$net/network.tflite" \
        "${arm:-host}" "$models/$net/inputs-01.npz" "$models/$net/outputs-01.npz"
done
./tilewright compile zoo/lstm-f32/network.onnx -q -t host --package mlperf-tiny \
    -o "$tmp/no" 2>"$tmp/log" && { echo "an LSTM is taken"; exit 1; }
grep -q 'kws01' "$tmp/log" || { cat "$tmp/log"; exit 1; }
[ -e "$tmp/no" ] && { echo "something is left of what was refused"; exit 1; }
./tilewright compile zoo/dscnn-int/network.onnx -q -t gap8 \
    --package mlperf-tiny -o "$tmp/no" 2>"$tmp/log" &&
    { echo "a cluster is taken"; exit 1; }
echo "$n devices answer the harness"
