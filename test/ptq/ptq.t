#!/bin/sh
# quantize: networks of the zoo keep so many dB, nothing of them stays float,
# and every target computes the same bits; what it refuses.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
fault() { echo "$*"; bad=1; }
field() { python3 -c 'import json, sys
j = json.load(open(sys.argv[1])); print(eval(sys.argv[2], {"j": j}))' "$@"; }

while read -r net least targets; do
    [ "$net" ] || continue
    ./tilewright quantize zoo/$net/network.onnx --data zoo/$net/inputs.npz \
        -o "$tmp/$net.il" -q --json "$tmp/$net.json" || bad=1
    field "$tmp/$net.json" "j['outputs'][0]['sqnr_db'] >= $least and \
j['float_operators'] == 0" | grep -qx True ||
        fault "$net: $(field "$tmp/$net.json" \
            "j['outputs'], j['float_operators']")"
    for t in $targets; do
        ./tilewright run -n network "$tmp/$net.il" -t $t -q \
            -i zoo/$net/inputs.npz \
            -o "$tmp/$net.$t.npz" || fault "$net on $t"
        unzip -p "$tmp/$net.$t.npz" | cksum
    done | sort -u | wc -l | grep -qx 1 || fault "$net: targets differ"
done <<END
dscnn-f32 34 host cortex-m4
resnet8-f32 34 host
$(! whole || printf '%s\n' 'autoencoder-f32 34 rv32imc' \
    'transformer-f32 26 host siracusa')
END

# One matrix for the weights of q and k: fewer products, of the same network, by
# examples such as it was trained with.
net=zoo/eeg-f32
python3 - "$tmp/eeg.npz" <<'END' || exit 1
import sys
import numpy as np
sys.path.insert(0, 'zoo')
import learn_data as d
x = d.drawn(d.eeg_one, 2, 21, 8, 0)[0][0]
np.savez(sys.argv[1], x.reshape(8, 1, 4, 1, 1296))
END
./tilewright quantize $net/network.onnx --data "$tmp/eeg.npz" --merge -q \
    -o "$tmp/merged.il" --json "$tmp/merged.json" || bad=1
field "$tmp/merged.json" "j['outputs'][0]['sqnr_db'] >= 30 and \
j['float_operators'] == 0" | grep -qx True || fault "merged: what is lost"
for t in host cortex-m4; do
    ./tilewright run -n network "$tmp/merged.il" -t $t -q -i $net/inputs.npz \
        -o "$tmp/$t.npz" --json "$tmp/$t.json" || fault "merged on $t"
    unzip -p "$tmp/$t.npz" | cksum
done | sort -u | wc -l | grep -qx 1 || fault "merged: targets differ"
grep -q '"op": "iattend"' "$tmp/cortex-m4.json" ||
    fault 'merged: attention is several operators'
field "$tmp/host.json" "j['macs'] == 7340608 - 81 * 256 * 32" | grep -qx True ||
    fault "merged: products"

# The same of networks of integers, and of QDQ, beside themselves: nothing but
# that attention changes.
for form in il onnx; do
    [ $form = onnx ] || whole || continue
    ./tilewright quantize $net/network.onnx --data "$tmp/eeg.npz" -q \
        -o "$tmp/eeg.$form" &&
    ./tilewright quantize "$tmp/eeg.$form" --data "$tmp/eeg.npz" --merge -q \
        -f -o "$tmp/merged.il" --json "$tmp/merged.json" || bad=1
    field "$tmp/merged.json" "j['outputs'][0]['sqnr_db'] >= 25 and \
len(j['matrices']) == len(j['layers']) == 1" | grep -qx True ||
        fault "merged integers: $(field "$tmp/merged.json" "j['outputs']")"
done
for t in host $(! whole || echo cortex-m4); do
    ./tilewright run -n network "$tmp/merged.il" -t $t -q -i $net/inputs.npz \
        -o "$tmp/$t.npz" --json "$tmp/$t.json" || fault "merged on $t"
    unzip -p "$tmp/$t.npz" | cksum
done | sort -u | wc -l | grep -qx 1 || fault "merged integers: targets differ"
field "$tmp/host.json" "j['macs'] == 7340608 - 81 * 256 * 32" | grep -qx True ||
    fault "merged integers: products"

# The form that takes less on a chip, by plans: weights of q and k of ecg stay
# apart on a Cortex-M7, those of eeg merge.
while read -r net t want; do
    ./tilewright quantize zoo/$net/network.onnx --merge -t $t -q -f \
        --data zoo/$net/inputs.npz -o "$tmp/form.il" --json "$tmp/j" || bad=1
    field "$tmp/j" "$want == j['merge']['merged'] == \
(len(j['matrices']) == 8) == \
(j['merge']['plan_merged']['cycles'] < j['merge']['plan_apart']['cycles'])" |
        grep -qx True ||
        fault "form of $net for $t: $(field "$tmp/j" "j['merge']")"
done <<END
$(printf '%s\n' 'ecg-f32 cortex-m7 False' 'ecg-f32 gap9 True' \
    'eeg-f32 cortex-m7 True' 'eeg-f32 gap9 True' | each)
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
refused 1 'no attention of integers' "$tmp/dscnn-f32.il" --data $data --merge \
    -o "$tmp/x.il"
refused 1 "wants 490, or a multiple" $net \
    --data zoo/resnet8-f32/inputs.npz -o "$tmp/x.il"
mkdir "$tmp/none"
refused 1 'no .npz or .npy' $net --data "$tmp/none" -o "$tmp/x.il"
[ -e "$tmp/x.il" ] && fault 'something was written'

# As ONNX: onnxruntime's answer and ours, of a network without rows of floats.
./tilewright quantize zoo/resnet8-f32/network.onnx -q -o "$tmp/r.onnx" \
    --data zoo/resnet8-f32/inputs.npz || bad=1
./tilewright run -n network "$tmp/r.onnx" -t host -q \
    -i zoo/resnet8-f32/inputs.npz \
    -o "$tmp/r.npz" || bad=1
cmp "$tmp/r.npz" "$tmp/resnet8-f32.host.npz" ||
    fault 'ONNX and text are two networks'
python3 - "$tmp" <<'END' || fault 'onnxruntime has another answer'
import sys
import numpy as np
import onnx
import onnxruntime as ort
tmp = sys.argv[1]
onnx.checker.check_model(tmp + '/r.onnx', full_check=True)
ort.set_default_logger_severity(4)
o = ort.SessionOptions()
o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
s = ort.InferenceSession(tmp + '/r.onnx', o,
                         providers=['CPUExecutionProvider'])
d = np.load('zoo/resnet8-f32/inputs.npz')
i = s.get_inputs()[0]
y = s.run(None, {i.name: d[d.files[0]].astype(np.float32).reshape(i.shape)})[0]
e = np.load(tmp + '/r.npz')
sys.exit(not np.array_equal(y.ravel(), e[e.files[0]].ravel()))
END
for f in $(printf '%s\n' autoencoder transformer | each); do
    ./tilewright quantize zoo/$f-f32/network.onnx -q -o "$tmp/$f.onnx" \
        --data zoo/$f-f32/inputs.npz || bad=1
    ./tilewright check "$tmp/$f.onnx" -q || fault "$f as ONNX"
done

# Channels that differ by factors of 100: they are made alike.
python3 - "$tmp" <<'END'
import sys
import numpy as np
tmp, r = sys.argv[1], np.random.default_rng(3)
c, out, f = 16, [], [np.exp(r.normal(0, 1.5, 16)) for _ in range(2)]
def const(name, v):
    shape = ','.join(map(str, v.shape))
    v = np.ascontiguousarray(v, np.float32)
    out.append(f'{name} = const : f32[{shape}] #{v.tobytes().hex()}')
def weights(i, shape, by, over, fan):
    w = r.normal(0, (2 / fan) ** 0.5, shape)
    const(f'w{i}', w * by.reshape(-1, 1, 1, 1) / over)
    const(f'b{i}', r.normal(0, 0.1, shape[0]) * by)
one = np.ones(1)
weights(1, (c, 2, 3, 3), f[0], one, 18)
weights(2, (c, 1, 3, 3), f[1], f[0].reshape(-1, 1, 1, 1), 9)
weights(3, (10, c, 1, 1), np.ones(10), f[1].reshape(1, -1, 1, 1), c)
open(tmp + '/apart.il', 'w').write('\n'.join(
    ['graph "apart"', 'x = input : f32[1,2,8,8]'] + out + [
        'y1 = conv x w1 b1 pad=1,1,1,1', 'r1 = clip y1 flo=0',
        f'y2 = conv r1 w2 b2 pad=1,1,1,1 group={c}', 'r2 = clip y2 flo=0',
        'y3 = conv r2 w3 b3', 'y = mean y3 axes=2,3 keep=0', 'output y', '']))
np.savez(tmp + '/apart.npz', r.normal(size=(16, 2, 8, 8)))
END
./tilewright quantize "$tmp/apart.il" --data "$tmp/apart.npz" -q \
    -o "$tmp/alike.il" --json "$tmp/alike.json" || bad=1
field "$tmp/alike.json" \
    "j['outputs'][0]['sqnr_db'] > 30 and j['equalized']" | grep -qx True ||
    fault "channels apart: $(field "$tmp/alike.json" "j['outputs']")"

# Of that network: who adds to the noise, as text, JSON and a page; ways of
# ranges and of rounding; a budget of bytes, of points; 16 bits.
quantize() { # NAME OPTION...
    name=$1
    shift
    ./tilewright quantize "$tmp/apart.il" --data "$tmp/apart.npz" -f \
        -o "$tmp/x.il" --json "$tmp/$name.json" "$@" >"$tmp/said" ||
        fault "quantize $name"
}
says() { # NAME PYTHON
    field "$tmp/$1.json" "$2" | grep -qx True || fault "$1: not $2"
}
db() { field "$tmp/$1.json" "j['outputs'][0]['sqnr_db']"; }
quantize page --html "$tmp/page.html"
grep -q 'noise %' "$tmp/said" || fault 'no shares in the text'
says page "abs(sum(x['noise_share'] for x in j['layers'] + j['matrices']) - 1) \
< 1e-6"
python3 -c 'import sys, xml.dom.minidom as m
t = [len(x.getElementsByTagName("tr")) for x in
     m.parse(sys.argv[1]).getElementsByTagName("table")]
sys.exit(t != [6, 4])' "$tmp/page.html" || fault 'the page has other tables'
for way in minmax percentile kl; do
    quantize $way --ranges $way
    says $way "j['outputs'][0]['sqnr_db'] > 18"
done
quantize four --weights int4
quantize near --weights int4 --rounding nearest
quantize wide --activations int16
says four "$(db near) < j['outputs'][0]['sqnr_db'] < $(db alike) - 6 and \
j['weights'] < $(field "$tmp/alike.json" "j['weights']")"
says wide "j['outputs'][0]['sqnr_db'] > $(db alike) + 3 and \
any(x['type'] == 's16' for x in j['layers'])"
size=$(field "$tmp/alike.json" "j['weights']")
quantize bytes --bytes $((size - 60))
says bytes "$size - 250 < j['weights'] <= $size - 60 and \
{4, 8} == {m['bits'] for m in j['matrices']}"
for drop in 0 50; do
    quantize drop-$drop --max-drop $drop
    says drop-$drop "100 * (1 - j['outputs'][0]['agree']) <= $drop"
done
says drop-50 "{4} == {m['bits'] for m in j['matrices']}"
rm "$tmp/x.il"
refused 1 '--bytes allows 100' "$tmp/apart.il" --data "$tmp/apart.npz" \
    -o "$tmp/x.il" --bytes 100
refused 2 'leave --weights int4 out' "$tmp/apart.il" --data "$tmp/apart.npz" \
    -o "$tmp/x.il" --bytes 100 --weights int4
refused 2 'wanted learned or nearest' $net --data $data -o "$tmp/x.il" \
    --rounding best

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
