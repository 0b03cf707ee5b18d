#!/bin/sh
# Plans for least energy take no more, as predicted, than those for least time,
# and less where bytes are dear; never less than their bound; the same results.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
checks=0 bad=0
fail() {
    echo "FAIL $*"
    bad=$((bad + 1))
}
uj() { # KEY
    sed -n "s/^  \"$1\": \([0-9.]*\),/\1/p" "$dir/json"
}
# NET CHIP OPTIONS: the predicted energy of both plans in $time and $least.
both() {
    net=$1 chip=$2
    shift 2
    checks=$((checks + 1))
    ./tilewright report "zoo/$net/network.onnx" -t "$chip" "$@" \
        --json "$dir/json" >/dev/null || fail "$net on $chip $*"
    time=$(uj energy_uj)
    ./tilewright report "zoo/$net/network.onnx" -t "$chip" "$@" \
        --objective energy --json "$dir/json" >"$dir/text" ||
        fail "$net on $chip $* for energy"
    least=$(uj energy_uj)
    grep -q '"objective": "energy"' "$dir/json" &&
        grep -q 'beyond the bound of [0-9.]* uJ' "$dir/text" ||
        fail "$net on $chip: not for energy"
    awk "BEGIN { exit !($(uj bound_uj) <= $least && $least <= $time) }" ||
        fail "$net on $chip $*: $least uJ of $time, bound $(uj bound_uj)"
}
for net in $(printf '%s\n' resnet8-int dscnn-int transformer-int \
    autoencoder-int deadchannels-int resnet8-qdq-s8 transformer-qdq-u8 | each)
do
    both $net siracusa --l1 16000
    both $net test/plan/dear.soc --l1 16000
done
! whole || both mobilenetv1-0.25-128-int siracusa --l2 200K
both mobilenetv1-0.25-128-int test/plan/dear.soc
awk "BEGIN { exit !($least < 0.95 * $time) }" ||
    fail "$least uJ of $time: constants are fetched that need not be"
both resnet8-int test/plan/dear.soc --l1 24000
awk "BEGIN { exit !($least < 0.995 * $time) }" || fail "$least uJ of $time"
./tilewright run zoo/resnet8-int/network.onnx -t test/plan/dear.soc --l1 24000 \
    -i zoo/resnet8-int/inputs.npz -e zoo/resnet8-int/outputs.npz -q \
    --emulate --objective energy || fail "another result"
echo "$checks pairs of plans, $bad wrong"
[ $bad = 0 ]
