#!/bin/sh
# Figures of several chips agree with each other: predicted cycles with those
# of a simulation, bytes between chips with the plan's exchanges, energy with
# the paper's formula; the sweep's table, JSON and drawing have them.
cd "$(dirname "$0")/../.." || exit 1
. test/shard/simulated
net=zoo/transformer-int/network.onnx
./tilewright report $net -t siracusa-500 --sweep chips=1..6 --json "$tmp/j" \
    --html "$tmp/html" >"$tmp/text" || exit 1
./tilewright run $net -t siracusa-500 --chips 4 -q --json "$tmp/run" || exit 1
./tilewright report zoo/dscnn-int/network.onnx -t siracusa-500 -q \
    --sweep chips=41..64 --html "$tmp/none.html" --json "$tmp/none" || exit 1
exec python3 test/shard/scale.py "$tmp"
