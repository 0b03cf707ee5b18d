#!/bin/sh
# Networks on several simulated chips, all together, have the bits of one chip:
# with caches over several runs, uneven shares; floats are within the tolerance.
# A fault of a link is told by chip and layer, with status 5, and nothing else
# happens.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
. test/shard/simulated
run() { # CHIPS MODEL OPTION...
    chips=$1 model=$2
    shift 2
    timeout 200 ./tilewright run -n network "$model" \
        -t "${chip:-siracusa-500}" \
        --chips "$chips" "$@" >"$tmp/out" 2>&1
}
right() {
    run "$@" && grep -q 'those of one chip, bit by bit' "$tmp/out" ||
        { echo "$*:"; cat "$tmp/out"; bad=1; }
}
right 3 zoo/transformer-int/network.onnx --json "$tmp/json"
python3 - "$tmp/json" <<'END' || bad=1
import json
import sys
j = json.load(open(sys.argv[1]))
assert j['match'] and len(j['chips']) == 3 and j['cycles'] > 0
assert 0 < j['bound_links'] < j['bound'] < j['cycles']
for c in j['chips']:
    assert c['cycles'] <= j['cycles']
    assert c['work'] + c['dma'] + c['links'] == c['cycles'] and c['links'] > 0
END
python3 -c "
import numpy as np
x = np.load('zoo/attention-int-cache/inputs.npz')
np.savez('$tmp/in.npz', **{k: x[k][:3] for k in x.files})"
right 2 zoo/attention-int-cache/network.onnx -i "$tmp/in.npz" \
    $(cat zoo/attention-int-cache/options)
grep -q '^2[0-9] of 31 layers' "$tmp/out" && grep -q 'exchanges: 2$' "$tmp/out" ||
    { echo "caches are not cut by heads:"; cat "$tmp/out"; bad=1; }
grep -q 'constants     resident' "$tmp/out" || { cat "$tmp/out"; bad=1; }

# a small sum is made by all, rather than in shares that are gathered then
right 4 zoo/autoencoder-int/network.onnx
grep -q '^ *1 sum of 32 bytes' "$tmp/out" && ! grep -q 'gather of 8 ' "$tmp/out" ||
    { echo "a sum in shares:"; cat "$tmp/out"; bad=1; }

# bands of an image
right 4 zoo/resnet8-int/network.onnx --json "$tmp/json"
python3 - "$tmp/json" <<'END' || bad=1
import json
import sys
j = json.load(open(sys.argv[1]))
halos = [l for c in j['chips'] for l in c['layers'] if l['op'] == 'halo']
assert len(halos) >= 4 and all(0 < l['cycles'] < 4000 for l in halos)
assert j['cycles'] < 314148 / 2.2  # of one chip
END

# layers one after another
if whole; then
    right 3 zoo/dscnn-int/network.onnx --pipeline
    grep -q '^pipeline      latency [0-9]* cycles; slowest stage [0-9]*' \
        "$tmp/out" || { cat "$tmp/out"; bad=1; }
fi

# caches on the chip that reads them
! whole || right 3 zoo/attention-int-cache/network.onnx --pipeline -i "$tmp/in.npz" \
    $(cat zoo/attention-int-cache/options)

# floats, as close as one chip's have to be
run 2 zoo/autoencoder-f32/network.onnx --json "$tmp/json" &&
    grep -q '^outputs       match one chip.s, greatest difference' "$tmp/out" &&
    python3 -c "
import json
assert 0 < json.load(open('$tmp/json'))['max_abs_diff'] < 1e-5" ||
    { echo floats:; cat "$tmp/out"; bad=1; }
if whole; then
    run 2 zoo/autoencoder-f32/network.onnx --tolerance 0
    [ $? = 4 ] && grep -q 'DIFFER from one chip' "$tmp/out" ||
        { echo "floats, no tolerance:"; cat "$tmp/out"; bad=1; }
fi

# links that fail
fault() { # KIND CHIP AT WORDS
    sed "s/^link .*/& fault=$1 fault_chip=$2 fault_at=$3/" \
        soc/siracusa-500.soc >"$tmp/faulty.soc"
    chip=$tmp/faulty.soc run 2 "$tmp/pair.onnx" --inner sums
    [ $? = 5 ] && grep -q "$4" "$tmp/out" ||
        { echo "$1 of chip $2, message $3:"; cat "$tmp/out"; bad=1; }
}
python3 test/shard/many.py "$tmp/pair.onnx" 1 || exit 1
# more chips than cores, shares that differ; rows that go in one message
python3 test/shard/many.py "$tmp/rows.onnx" 16 || exit 1
right 11 "$tmp/pair.onnx" -n network --inner sums
right 4 "$tmp/rows.onnx" -n network
fault lose 1 2 'chip 0: .*, of chip 1, layer \|chip 0: nothing.* chip 1, layer '
fault break 1 2 'chip 0: a broken message (checksum) of chip 1, layer b0_second'
fault dead 1 1 'chip 0: nothing within the time limit.* chip 1, at the start'
if whole; then
    fault twice 0 2 'chip 1: a message lost, twice there.* chip 0, layer '
    fault lose 1 1 'chip 0: .* chip 1, at the start'
    fault late 0 3 'chip 1: nothing within the time limit.* chip 0, layer b0_y'
    fault dead 1 3 'chip 0: nothing within the time limit.* chip 1, layer b0_y'
    sed 's/^link .*/& fault=lose fault_chip=1 fault_at=2/' \
        soc/siracusa-500.soc >"$tmp/faulty.soc"
    chip=$tmp/faulty.soc run 2 zoo/resnet8-int/network.onnx
    [ $? = 5 ] && grep -q 'chip 1, layer .*_halo\|chip 0: .*_halo' "$tmp/out" ||
        { echo "rows are lost:"; cat "$tmp/out"; bad=1; }
fi
run 2 zoo/dscnn-int/network.onnx -t siracusa
[ $? = 2 ] && grep -q 'latency_ns=null' "$tmp/out" || { cat "$tmp/out"; bad=1; }
[ $bad = 0 ] && echo "2 to 4 chips as one, faults told"
[ $bad = 0 ]
