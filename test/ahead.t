#!/bin/sh
# What a plan does ahead of time: constants come from the outer memory before
# they are wanted, where there is time for it; what a layer needs, and earlier
# ones than the one before it have made, is loaded while that computes.
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
models=${TILEWRIGHT_MODELS:-../shared/models}/deeploy-tests/networks
checks=0 bad=0
fail() {
    echo "FAIL $*"
    bad=$((bad + 1))
}
# microLlama8 has 1.4 times the constants that there is room for, and a line that
# brings the rest in less time than its layers take.
net=$models/microLlama/INT8/microLlama8/network.onnx
if [ -f "$net" ]; then
    checks=$((checks + 1))
    ./tilewright report "$net" -t gap8 --json "$dir/json" >"$dir/text" ||
        fail microLlama8
    python3 - "$dir/json" <<'END' || fail "microLlama8 waits for constants"
import json, sys
run = json.load(open(sys.argv[1]))
wait = sum(l['predicted_wait'] or 0 for l in run['layers'])
sys.exit(wait > 0.03 * run['predicted_cycles'])
END
fi
echo "$checks plans, $bad wrong"
[ $bad = 0 ]
