#!/bin/sh
# quantize: networks of the zoo keep so many dB, nothing of them stays float,
# and every target computes the same bits; what it refuses.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
fault() { echo "$*"; bad=1; }
field() { python3 -c 'import json, sys
j = json.load(open(sys.argv[1])); print(eval(sys.argv[2], {"j": j}))' "$@"; }

while read -r net least targets; do
    ./tilewright quantize zoo/$net/network.onnx --data zoo/$net/inputs.npz \
        -o "$tmp/$net.il" -q --json "$tmp/$net.json" || bad=1
    field "$tmp/$net.json" "j['outputs'][0]['sqnr_db'] >= $least and \
j['float_operators'] == 0" | grep -qx True ||
        fault "$net: $(field "$tmp/$net.json" "j['outputs'], j['float_operators']")"
    for t in $targets; do
        ./tilewright run "$tmp/$net.il" -t $t -q -i zoo/$net/inputs.npz \
            -o "$tmp/$net.$t.npz" || fault "$net on $t"
        unzip -p "$tmp/$net.$t.npz" | cksum
    done | sort -u | wc -l | grep -qx 1 || fault "$net: targets differ"
done <<'END'
dscnn-f32 34 host cortex-m4 siracusa
resnet8-f32 34 host cortex-m7
autoencoder-f32 34 host rv32imc
transformer-f32 26 host cortex-m4 siracusa
END

refused() { # STATUS TEXT ARGUMENT...
    status=$1 text=$2
    shift 2
    ./tilewright quantize "$@" >"$tmp/out" 2>&1
    [ $? = "$status" ] && grep -qF -- "$text" "$tmp/out" ||
        { echo "quantize $*:"; cat "$tmp/out"; bad=1; }
}
net=zoo/dscnn-f32/network.onnx data=zoo/dscnn-f32/inputs.npz
refused 2 'wants --data' $net -o "$tmp/x.il"
refused 2 'wants -o' $net --data $data
refused 2 '-f overwrites it' $net --data $data -o "$tmp/dscnn-f32.il"
refused 2 'wanted mse' $net --data $data -o "$tmp/x.il" --ranges best
refused 1 'quantized already' zoo/dscnn-qdq-s8/network.onnx --data $data \
    -o "$tmp/x.il"
refused 1 'quantized already' zoo/dscnn-int/network.onnx --data $data \
    -o "$tmp/x.il"
refused 1 'quantized already' "$tmp/dscnn-f32.il" --data $data -o "$tmp/x.il"
refused 1 "wants 490, or a multiple" $net \
    --data zoo/resnet8-f32/inputs.npz -o "$tmp/x.il"
mkdir "$tmp/none"
refused 1 'no .npz or .npy' $net --data "$tmp/none" -o "$tmp/x.il"
[ -e "$tmp/x.il" ] && fault 'something was written'

# Several examples in one array, a folder of them, and labels.
python3 - "$tmp" <<'END'
import os, sys
import numpy as np
tmp, r = sys.argv[1], np.random.default_rng(1)
x = r.normal(size=(5, 49, 10)).astype(np.float32)
np.savez(tmp + '/five.npz', x)
np.save(tmp + '/labels.npy', np.arange(5))
os.mkdir(tmp + '/five')
for i in range(5):
    np.save(f'{tmp}/five/{i}.npy', x[i])
END
for from in five.npz five; do
    ./tilewright quantize $net --data "$tmp/$from" -o "$tmp/$from.il" -q \
        --labels "$tmp/labels.npy" --json "$tmp/$from.json" || bad=1
    field "$tmp/$from.json" "j['samples'] == 5 and 0 <= j['accuracy'] <= 1" |
        grep -qx True || fault "$from: examples or labels"
done
cmp "$tmp/five.npz.il" "$tmp/five.il" || fault 'a folder is not its arrays'
exit $bad
