#!/bin/sh
# A network as a project for each of three chips, which run as processes under
# the sanitizers: every layer has its bits.  If one never starts, or has another
# model or protocol, the others say so within the time limit and end with 5.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
san='-fsanitize=address,undefined -fno-sanitize-recover=all'
./tilewright shard zoo/transformer-int/network.onnx -t host --chips 3 \
    -o "$tmp/p" >"$tmp/text" || exit 1
grep -q '^ *[0-9]* sum ' "$tmp/text" && grep -q '^ *[0-9]* gather ' "$tmp/text" ||
    { echo "no exchanges of both kinds"; bad=1; }
python3 -m json.tool <"$tmp/p/plan.json" >/dev/null || bad=1
timeout 200 "$tmp/p/run" -j2 CFLAGS="-O1 -std=c99 -Wall -Wextra -Werror $san" \
    LDFLAGS="-lm $san" >"$tmp/said" 2>&1 ||
    { echo "the chips end with $?"; cat "$tmp/said"; bad=1; }
[ "$(grep -c 'self-test passed' "$tmp/said")" = 3 ] || { cat "$tmp/said"; bad=1; }

# bands of an image, of which four chips exchange rows
if whole; then
    ./tilewright shard zoo/resnet8-int/network.onnx -t host --chips 4 \
        --images rows -o "$tmp/r" >"$tmp/text" || exit 1
    grep -q '^ *[0-9]* halo ' "$tmp/text" || { cat "$tmp/text"; bad=1; }
    timeout 200 "$tmp/r/run" -j2 CFLAGS="-O1 -std=c99 -Wall -Wextra -Werror $san" \
        LDFLAGS="-lm $san" >"$tmp/said" 2>&1
    [ "$(grep -c 'self-test passed' "$tmp/said")" = 4 ] || { cat "$tmp/said"; bad=1; }
fi

# layers of floats one after another on three chips
./tilewright shard zoo/autoencoder-f32/network.onnx -t host --chips 3 \
    --pipeline -o "$tmp/l" >"$tmp/text" || exit 1
grep -q '^ *[0-9]* pass ' "$tmp/text" && grep -q '^chip 2 ' "$tmp/text" ||
    { cat "$tmp/text"; bad=1; }
timeout 200 "$tmp/l/run" -j2 CFLAGS="-O1 -std=c99 -Wall -Wextra -Werror $san" \
    LDFLAGS="-lm $san" >"$tmp/said" 2>&1
[ "$(grep -c 'self-test passed' "$tmp/said")" = 3 ] || { cat "$tmp/said"; bad=1; }

# caches, at a value of a run-time number; values of 32 bits that are bytes
caches="zoo/attention-int-cache/network.onnx --dim past=0..255 --at past=7
    --state past_k0=present_k0 --state past_v0=present_v0
    --state past_k1=present_k1 --state past_v1=present_v1 -t host"
# shellcheck disable=SC2086
./tilewright shard $caches --chips 16 --pipeline -o "$tmp/c16" -q || bad=1
# shellcheck disable=SC2086
./tilewright shard $caches --chips 2 -o "$tmp/c" -q || exit 1
timeout 200 "$tmp/c/run" -j2 >"$tmp/said" 2>&1
[ "$(grep -c 'self-test passed' "$tmp/said")" = 2 ] || { cat "$tmp/said"; bad=1; }

# chips 0 and 2 alone
export TILEWRIGHT_LINK="$tmp" TILEWRIGHT_LINK_MS=500
for i in 0 2; do
    (cd "$tmp/p/chip$i" && timeout 60 ./build/*.elf >"$tmp/said$i"
     echo $? >"$tmp/status$i") &
done
wait
for i in 0 2; do
    [ "$(cat "$tmp/status$i")" = 5 ] &&
        grep -q "chip $i: .* chip [0-2], at the start" "$tmp/said$i" ||
        { echo "chip $i of those alone:"; cat "$tmp/said$i"; bad=1; }
done
grep -q 'chip 1, at' "$tmp/said0" || { cat "$tmp/said0"; bad=1; }

# chip 1 of another model
sed -i 's/\(LINK_MODEL_HASH UINT64_C(0x\).\{16\}/\10123456789abcdef/' \
    "$tmp/p/chip1/rt/link/here.h"
timeout 200 "$tmp/p/run" CFLAGS="-O1 -std=c99 $san" LDFLAGS="-lm $san" \
    >"$tmp/said" 2>&1
[ $? = 5 ] && grep -q 'another model.* on chip 1' "$tmp/said" ||
    { echo "another model:"; head -20 "$tmp/said"; bad=1; }

if whole; then
    # and of another protocol
    sed -i 's/LINK_VERSION = [0-9]*/LINK_VERSION = 77/' "$tmp/p/chip1/rt/link/link.h"
    timeout 200 "$tmp/p/run" CFLAGS="-O1 -std=c99 $san" LDFLAGS="-lm $san" \
        >"$tmp/said" 2>&1
    [ $? = 5 ] && grep -q 'another version of the protocol on chip 1' "$tmp/said" ||
        { echo "another protocol:"; head -20 "$tmp/said"; bad=1; }
fi

refused() { # WHAT WORDS...
    want=$1
    shift
    ./tilewright shard "$@" >"$tmp/out" 2>&1
    grep -q -- "$want" "$tmp/out" || { cat "$tmp/out"; bad=1; }
}
refused 'chips or fewer' zoo/dscnn-int/network.onnx -t host --chips 64 -o "$tmp/q"
grep -v '^link' soc/rv32imc.soc >"$tmp/mute.soc"
refused 'no wire driver' zoo/dscnn-int/network.onnx -t "$tmp/mute.soc" --chips 2 -o "$tmp/q"
refused 'too few for a pipeline of 64' zoo/dscnn-int/network.onnx -t host \
    --chips 64 --pipeline -o "$tmp/q"
# shellcheck disable=SC2086
refused 'too few cuts for a pipeline of 30' $caches --chips 30 --pipeline -o "$tmp/q"
refused '--images: columns, wanted' x.onnx --images columns
refused '--inner: rows, wanted' x.onnx --inner rows
refused 'wants --chips' zoo/dscnn-int/network.onnx -t host -o "$tmp/q"
[ $bad = 0 ] && echo "three and four chips as processes, three faults"
[ $bad = 0 ]
