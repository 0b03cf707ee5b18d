#!/bin/sh
# What a plan does so that cores do not wait: constants come from the outer
# memory before they are wanted, where there is time for it; what a layer needs,
# and earlier ones than the one before it have made, is loaded while that
# computes; layers with the same kernel follow one another.
cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
models=${TILEWRIGHT_MODELS:-../shared/models}/deeploy-tests/networks
checks=0 bad=0
fail() {
    echo "FAIL $*"
    bad=$((bad + 1))
}
# They have more constants than there is room for, and a line that brings the
# rest in less time than their layers take.
for net in microLlama1 microLlama8; do
    path=$models/microLlama/INT8/$net/network.onnx
    [ -f "$path" ] || continue
    checks=$((checks + 1))
    ./tilewright report "$path" -t gap8 --json "$dir/json" >"$dir/text" ||
        fail $net
    python3 - "$dir/json" <<'END' || fail "$net waits for constants"
import json, sys
run = json.load(open(sys.argv[1]))
wait = sum(l['predicted_wait'] or 0 for l in run['layers'])
sys.exit(wait > 0.02 * run['predicted_cycles'])
END
done
# The sum of a residual block reads what was made long before.  (A value in the
# L2 is loaded for one layer, and a kernel of another begins.)
checks=$((checks + 1))
./tilewright report zoo/resnet8-int/network.onnx -t gap8 --l1 24000 -v \
    2>"$dir/steps" >"$dir/text" || fail resnet8-int
awk '/^b[0-9]+ = temp L2/ { far[$1] = 1; next }
/^t[0-9]+ = dma/ { from = $4; sub(/\[.*/, "", from)
                   if (from in far) loaded[$NF] = 1; next }
/^t[0-9]+ = io/ { next }
/^t[0-9]+ = / { sub(/.*# /, ""); sub(/,.*/, "")
                for (i in loaded) { n += i != $0; delete loaded[i] } }
END { exit !n }' "$dir/steps" || fail "resnet8-int loads nothing early"
./tilewright run zoo/resnet8-int/network.onnx -t gap8 --l1 24000 -q --emulate \
    -i zoo/resnet8-int/inputs.npz -e zoo/resnet8-int/outputs.npz ||
    fail "resnet8-int: another result"
# Queries, keys and values, which the file has with their transposes between.
checks=$((checks + 1))
./tilewright report zoo/transformer-int/network.onnx -t gap8 |
    awk '$2 ~ /^linear_[345]_acc$/ { at[++n] = $1 }
END { exit n != 3 || at[3] - at[1] != 2 }' || fail "transformer-int: its order"
echo "$checks plans, $bad wrong"
[ $bad = 0 ]
