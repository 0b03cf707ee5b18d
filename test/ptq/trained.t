#!/bin/sh
# quantize on trained networks, whose accuracy is real: the digits that are right
# stay right, where channels are far apart and where few are great, which
# quantizing as it is does not survive; with 4 bits; as ONNX in onnxruntime; the
# same bits on every target.  (bench/quantize has all networks and examples.)
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
data=zoo/digits-cnn-f32
fault() { echo "$*"; bad=1; }
python3 - "$tmp" <<'END2' || exit 1
import sys
import numpy as np
tmp, d = sys.argv[1], 'zoo/digits-cnn-f32/'
np.savez(tmp + '/c.npz', np.load(d + 'examples.npz')['input'][:32])
np.savez(tmp + '/t.npz', np.load(d + 'test.npz')['input'])
np.save(tmp + '/tl.npy', np.load(d + 'test_labels.npy'))
END2

quantize() { # NETWORK NAME OPTION...
    from=$1 name=$2
    shift 2
    ./tilewright quantize "$from" --data "$tmp/c.npz" --test "$tmp/t.npz" -f \
        --labels "$tmp/tl.npy" -q --json "$tmp/$name.json" \
        -o "$tmp/$name.il" "$@" || fault "quantize $name"
}
says() { # NAME PYTHON
    python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
drop = 100 * (j["accuracy_float"] - j["accuracy"])
bits = [m["bits"] for m in j["matrices"]]
if not eval(sys.argv[2]):
    print("drop", drop, "bits", bits, "bytes", j["weights"], j["outputs"])
    sys.exit(1)' "$tmp/$1.json" "$2" || fault "$1: not $2"
}

ways=$(printf '%s\n' vit:outliers cnn:apart | each)
for way in $ways; do
    net=${way%:*} how=${way#*:}
    python3 test/ptq/hard.py zoo/digits-$net-f32/network.onnx \
        "$tmp/$how.onnx" $how || exit 1
    quantize "$tmp/$how.onnx" $how -o "$tmp/$how-qdq.onnx"
    says $how 'drop <= 1 and j["outputs"][0]["sqnr_db"] > 28'
    quantize "$tmp/$how.onnx" $how-plain --as-is --ranges minmax \
        --rounding nearest
    says $how-plain 'drop >= 10'
done
! whole || says apart 'j["equalized"]'
says outliers 'j["smoothed"] > 0'

# Weights of 4 bits: by what they meet, and to the nearest.
for net in $(printf '%s\n' cnn vit | each); do
    quantize zoo/digits-$net-f32/network.onnx $net-4 --weights int4
    says $net-4 'drop <= 2 and j["outputs"][0]["sqnr_db"] > 20 and \
set(bits) == {4}'
done
quantize zoo/digits-cnn-f32/network.onnx near --weights int4 \
    --rounding nearest
says near 'j["outputs"][0]["sqnr_db"] < 18'

# onnxruntime gets as many right.
python3 - "$tmp" <<'END2' || fault 'onnxruntime gets other digits right'
import json
import sys
import numpy as np
import onnxruntime as ort
tmp = sys.argv[1]
o = ort.SessionOptions()
o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
s = ort.InferenceSession(tmp + '/outliers-qdq.onnx', o,
                         providers=['CPUExecutionProvider'])
x = np.load(tmp + '/t.npz')['arr_0']
got = [s.run(None, {'input': a})[0].argmax() for a in x]
theirs = np.mean(np.array(got) == np.load(tmp + '/tl.npy'))
ours = json.load(open(tmp + '/outliers.json'))['accuracy']
print('onnxruntime %.4f, here %.4f' % (theirs, ours))
sys.exit(int(abs(theirs - ours) > 0.005))
END2

# The same bits everywhere.
for net in $(printf '%s\n' cnn vit | each); do
    cp "$tmp/$net-4.il" "$tmp/one.il"
    for t in host cortex-m4 siracusa; do
        ./tilewright run -n network "$tmp/one.il" -t $t -q -o "$tmp/$t.npz" \
            -i zoo/digits-$net-f32/inputs.npz || fault "$net on $t"
        unzip -p "$tmp/$t.npz" | cksum
    done | sort -u | wc -l | grep -qx 1 || fault "$net: targets differ"
done
exit $bad
