#!/bin/sh
# Chips joined as a ring, a mesh, in groups and in pairs have the bits of one:
# messages between chips that are not neighbours are handed on.  Each exchange is
# made as the topology wants, in about the time of its formula, also where ways out
# and in are one wire, or those of all chips; a link that ends is told.
# ways.t [SEED]: of a topology drawn at random
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
. test/shard/simulated
python3 test/shard/many.py "$tmp/1.onnx" 1 &&
    python3 test/shard/many.py "$tmp/16.onnx" 16 || exit 1
run() { # TOPOLOGY CHIPS ROWS SUM GATHER: how these are to be made
    timeout 200 ./tilewright run -n network "$tmp/$3.onnx" -t siracusa-500 \
        --chips "$2" --inner sums \
        --topology "$1" --json "$tmp/json" >"$tmp/out" 2>&1 &&
        python3 - "$tmp/json" "$4" "$5" <<'PY'
import json
import sys
path, *want = sys.argv[1:]
j = json.load(open(path))
assert j["match"]
for e, way, op in zip(j["exchanges"], want, ["partsum", "allgather"]):
    each = [k["cycles"] for c in j["chips"] for k in c["layers"] if k["op"] == op]
    mean = sum(each) / len(each)  # chips come late, and wait less, or early
    assert e["way"] == way, (e, way)
    assert e["formula_links"] < mean and e["cycles"] < 1.5 * e["formula"], e
    assert e["formula"] < 1.5 * e["cycles"], e
PY
    [ $? = 0 ] || { echo "$*:"; cat "$tmp/out"; bad=1; }
}
run pairs 4 1 2x2 direct
if whole; then
    run any,shared 4 1 direct direct
    run any 6 1 direct direct
    run ring 6 1 direct direct
    run ring 8 16 ring ring
    run mesh 8 1 2x4 2x4
    run groups 8 1 4x2 4x2
    run any,half 4 1 direct direct
fi
seed=${1:-${SEED:-$(date +%s)}}
draw() { # N WORD...: that of the seed's N-th digit
    shift $((seed / $1 % ($# - 1) + 1))
    echo "$1"
}
drawn="--topology $(draw 1 any ring mesh groups pairs)$(draw 5 '' ,half ,shared)"
drawn="$drawn --chips $(draw 15 2 3 4 5 6 7 8)"
# shellcheck disable=SC2086
timeout 200 ./tilewright run zoo/transformer-int/network.onnx -t siracusa-500 \
    $drawn >"$tmp/out" 2>&1 && grep -q 'those of one chip, bit by bit' "$tmp/out" ||
    { echo "seed $seed: $drawn:"; cat "$tmp/out"; bad=1; }
sed 's/^link .*/& topology=ring fault=dead fault_chip=1 fault_at=6/' \
    soc/siracusa-500.soc >"$tmp/dead.soc"
timeout 200 ./tilewright run -n network "$tmp/1.onnx" -t "$tmp/dead.soc" \
    --chips 4 \
    >"$tmp/out" 2>&1
[ $? = 5 ] && grep -q 'chip [0-3]: nothing within the time limit' "$tmp/out" ||
    { echo "a dead link:"; cat "$tmp/out"; bad=1; }
sed 's/^link .*/& topology=star/' soc/siracusa-500.soc >"$tmp/star.soc"
timeout 200 ./tilewright run -n network "$tmp/1.onnx" -t "$tmp/star.soc" \
    --chips 4 \
    >"$tmp/out" 2>&1
[ $? = 1 ] && grep -q 'any, ring, groups, pairs or mesh' "$tmp/out" ||
    { echo "no such topology:"; cat "$tmp/out"; bad=1; }
timeout 200 ./tilewright run -n network "$tmp/1.onnx" -t cortex-m4 \
    --topology ring \
    --chips 4 >"$tmp/out" 2>&1
[ $? = 2 ] || { echo "boards:"; cat "$tmp/out"; bad=1; }
[ $bad = 0 ] && echo "seed $seed: ring, mesh, groups, pairs, wires and $drawn as one chip"
[ $bad = 0 ]
