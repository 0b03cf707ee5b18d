#!/bin/sh
# Projects pass their self-test however their users' builds optimize, not as the
# Makefile alone says: for size (Arduino, Zephyr), for debugging (ESP-IDF), not
# at all, at link time.  `all` (optimize.long): more chips, networks, options.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
export PATH="$PWD:$PATH"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
targets="cortex-m4 cortex-m55 rv32imc" nets="dscnn-int transformer-int"
options="-Os -Og"
if [ "$1" = all ]; then
    targets="cortex-m4 cortex-m7 cortex-m55 rv32imc siracusa host"
    nets="dscnn-int resnet8-int mobilenetv1-0.25-128-int transformer-int
        cifar10-int kws-cnn-f32 lstm-f32 lstm-qdq-u8-pc dscnn-qdq-u8-pc"
    options="-O0 -Og -O1 -Os -O3 -O2,-flto -Os,-flto"
fi
n=0 bad=0
try() { # NET TARGET OPTION
    n=$((n + 1))
    rm -rf "$tmp/net/build"
    sed "s/^CFLAGS = -O2/CFLAGS = $(echo "$3" | tr , ' ')/" \
        "$tmp/net/Makefile" >"$tmp/net/other.mk"
    cmp -s "$tmp/net/Makefile" "$tmp/net/other.mk" &&
        { echo "$1 on $2: no -O2 in its Makefile"; exit 1; }
    timeout 400 make -s -C "$tmp/net" -f other.mk run >"$tmp/log" 2>&1 &&
        grep -q 'self-test passed' "$tmp/log" && return
    bad=$((bad + 1))
    echo "$1 on $2 with $3:"
    tail -n 3 "$tmp/log"
}
for t in $(printf '%s\n' $targets | each); do
    for net in $nets; do
        rm -rf "$tmp/net"
        ./tilewright compile "zoo/$net/network.onnx" -q -n net -t "$t" \
            -o "$tmp/net" || exit 1
        for o in $options; do
            try "$net" "$t" "$o"
        done
    done
done
echo "$n programs otherwise optimized, $bad wrong"
[ $bad = 0 ]
