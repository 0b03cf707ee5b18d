#!/bin/sh
# With a budget plans are no worse than without; where there is time for all
# that is tried they are the same each time; the results are right.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
checks=0 bad=0
fail() {
    echo "FAIL $*"
    bad=$((bad + 1))
}
number() { # KEY FILE
    sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" "$2" | head -n 1
}
try() { # NET CHIP OPTIONS: first, then with a budget: $was, $now; $ended
    net=$1 chip=$2
    shift 2
    checks=$((checks + 1))
    ./tilewright report "zoo/$net/network.onnx" -t "$chip" "$@" \
        --json "$dir/was" >/dev/null || fail "$net on $chip $*"
    ./tilewright report "zoo/$net/network.onnx" -t "$chip" "$@" \
        --budget ${budget:-30} --json "$dir/now" >"$dir/text" ||
        fail "$net on $chip $* with a budget"
    was=$(number predicted_cycles "$dir/was")
    now=$(number predicted_cycles "$dir/now")
    ended=$(sed -n 's/^ *"ended": //p' "$dir/now")
    [ "$now" -le "$was" ] || fail "$net on $chip $*: $now, was $was"
    [ "$now" -ge "$(number bound_cycles "$dir/now")" ] ||
        fail "$net on $chip $*: $now is below the bound"
    [ "$(number plans "$dir/now")" -gt "$(number plans "$dir/was")" ] ||
        [ "$budget" ] || fail "$net on $chip: no other plan was tried"
}
again() { # NET CHIP OPTIONS: all that was tried; the same steps again
    net=$1 chip=$2
    shift 2
    [ "$ended" = true ] || fail "$net on $chip $*: the budget was spent"
    for i in 1 2; do
        ./tilewright report "zoo/$net/network.onnx" -t "$chip" "$@" -v \
            --budget 30 >/dev/null 2>"$dir/$i"
    done
    cmp -s "$dir/1" "$dir/2" || fail "$net on $chip $*: another plan"
}
try resnet8-int gap8 --l1 16000
[ "$now" -lt "$was" ] || fail "resnet8-int is no better"
! whole || again resnet8-int gap8 --l1 16000
try autoencoder-int siracusa --l1 3K --no-engine neureka
again autoencoder-int siracusa --l1 3K --no-engine neureka
if whole; then
    try transformer-int gap8 --l1 8000
    budget=1 try mobilenetv1-0.25-128-int gap8
fi
budget=1 try mobilenetv1-0.25-128-int gap8 --l2 50000
budget=0.001 try dscnn-int gap8
[ "$ended" = false ] || fail "dscnn-int: all in a millisecond?"
./tilewright run zoo/resnet8-int/network.onnx -t gap8 --l1 16000 -q \
    -i zoo/resnet8-int/inputs.npz -e zoo/resnet8-int/outputs.npz --emulate \
    --budget 5 || fail "another result"
echo "$checks networks with a budget, $bad wrong"
[ $bad = 0 ]
