#!/bin/sh
# An exchange of 32 chips keeps their ways in busy, whoever comes late: the slowest
# chip has its sums within 2.4 times the time of the bytes.  Of 16 rows 8 chips send
# sums by pieces while they compute the next, which hides most of it, or what they
# gather; what is lost meanwhile is told.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
. test/shard/simulated
run() { # CHIPS ROWS [CHIP [HOW]]
    python3 test/shard/many.py "$tmp/n$2.onnx" "$2" &&
        timeout 200 ./tilewright run -n network "$tmp/n$2.onnx" \
            -t "${3:-siracusa-500}" --chips "$1" --inner "${4:-sums}" -q \
            --json "$tmp/$2$4" >"$tmp/out" 2>&1
}
if whole; then
    sed 's/^link .*/& fault=lose fault_chip=3 fault_at=16/' \
        soc/siracusa-500.soc >"$tmp/faulty.soc"
    run 8 16 "$tmp/faulty.soc"
    [ $? = 5 ] &&
        grep -q 'chip 3, layer b0_second_acc_partsend' "$tmp/out" ||
        { echo "lost:"; cat "$tmp/out"; exit 1; }
    run 32 1 || { cat "$tmp/out"; exit 1; }
fi
run 8 16 || { cat "$tmp/out"; exit 1; }
run 8 16 siracusa-500 gather || { cat "$tmp/out"; exit 1; }
python3 - "$tmp" <<'END'
import json
import os.path
import sys


def layers(name, op):
    j = json.load(open(sys.argv[1] + "/" + name))
    assert j["match"]
    return [[l["cycles"] for l in c["layers"] if l["op"] == op]
            for c in j["chips"]]


if os.path.exists(sys.argv[1] + "/1"):
    sums = sum(layers("1", "partsum"), [])
    bytes = 4 * 512 * 31 // 32  # at one a cycle
    assert len(sums) == 32 and max(sums) < 2.4 * bytes, sorted(sums)
    print("sums of 32 chips: %d to %d cycles" % (min(sums), max(sums)))
work = [sum(c) for c in layers("16", "matmul")] # who is late is waited for
halves = zip(layers("16", "partsend"), layers("16", "parttake"), work)
most = max(sum(a) + sum(b) - (max(work) - w) for a, b, w in halves)
bytes = 4 * 16 * 512 * 7 // 8
assert 0 < most < .7 * bytes, most
print("beside work %d cycles instead of %d" % (most, bytes))
work = [sum(c) for c in layers("16gather", "matmul")]
halves = zip(layers("16gather", "gathersend"), layers("16gather", "gathertake"),
             work)
most = max(sum(a) + sum(b) - (max(work) - w) for a, b, w in halves)
bytes = 16 * 2048 * 7 // 8
assert 0 < most < .6 * bytes, most
print("gathered beside work in %d cycles instead of %d" % (most, bytes))
END
