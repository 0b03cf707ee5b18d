#!/bin/sh
# Attention of float networks whose masks hide scores (masks.py), or that have a
# bias of places, becomes one operator of integers, the same on all chips, as
# good as without a mask; and what is hidden changes no bit of what does not see
# it.  Written as ONNX, onnxruntime's answer is ours but for roundings.
# mask.t [SEED]
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
seed=${1:-${SEED:-$(date +%s)}}
bad=0 n=0 targets="cortex-m4 siracusa"
! whole || targets="$targets cortex-m55 rv32imc"
python3 test/ptq/masks.py "$tmp" "$seed" >"$tmp/kinds" || exit 1
each <"$tmp/kinds" >"$tmp/mine"

run() { # KIND TARGET INPUTS OUT
    ./tilewright run -n network "$tmp/$1.il" -t "$2" -q -i "$tmp/$3.npz" \
        -o "$tmp/$4.npz" --json "$tmp/j" || exit 1
}

judge() { # KIND ROWS
    ./tilewright quantize "$tmp/$1.onnx" --data "$tmp/$1.npz" -q -f \
        -o "$tmp/$1.il" --json "$tmp/q" || exit 1
    run "$1" host "$1_else" else
    run "$1" host "$1_one" host
    for t in $targets; do
        run "$1" $t "$1_one" $t
        grep -q '"op": "iattend"' "$tmp/j" &&
            ! grep -q '"op": "\(powers\|softmax\)"' "$tmp/j" ||
            echo "$t: attention is several operators"
    done
    # shellcheck disable=SC2086
    python3 - "$tmp" "$2" $targets <<'END'
import json
import sys
import numpy as np
tmp, rows = sys.argv[1], int(sys.argv[2])
of = lambda name: np.load('%s/%s.npz' % (tmp, name))['output_0']
q, host = json.load(open(tmp + '/q')), of('host')
if q['float_operators'] or q['outputs'][0]['sqnr_db'] < 28:
    print('quantized:', q['outputs'], q['float_operators'])
for t in sys.argv[3:]:
    if (of(t) != host).any():
        print(t, 'differs')
if (of('else')[0, :rows] != host[0, :rows]).any():
    print('rows see what is hidden')
if (of('else') == host).all():
    print('nothing sees what is not hidden')
END
}

as_onnx() { # KIND
    ./tilewright quantize "$tmp/$1.onnx" --data "$tmp/$1.npz" -q -f \
        -o "$tmp/q.onnx" &&
    ./tilewright run -n network "$tmp/q.onnx" -t host -q -i "$tmp/$1_one.npz" \
        -o "$tmp/q.npz" || exit 1
    python3 - "$tmp" "$1" <<'END'
import sys
import numpy as np
import onnx
import onnxruntime as ort
tmp, kind = sys.argv[1:]
onnx.checker.check_model(tmp + '/q.onnx', full_check=True)
ort.set_default_logger_severity(4)
o = ort.SessionOptions()
o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
s = ort.InferenceSession(tmp + '/q.onnx', o,
                         providers=['CPUExecutionProvider'])
d = np.load('%s/%s_one.npz' % (tmp, kind))
y = s.run(None, {i.name: d[f] for i, f in zip(s.get_inputs(), d.files)})[0]
step = onnx.numpy_helper.to_array(next(
    i for i in onnx.load(tmp + '/q.onnx').graph.initializer
    if i.name == onnx.load(tmp + '/q.onnx').graph.node[-1].input[1]))
apart = np.abs(np.rint((np.load(tmp + '/q.npz')['output_0'] - y) / step))
# a byte that is half way between two steps may be the other in a row or two
if apart.max() > 128 or (apart.max(-1) > 1).sum() > 2:
    print('onnxruntime differs in %d rows of %d, by up to %d steps of 16 bits'
          % ((apart.max(-1) > 1).sum(), apart.shape[-2], apart.max()))
END
}

while read -r kind rows; do
    n=$((n + 1))
    { judge "$kind" "$rows" && as_onnx "$kind"; } >"$tmp/said" 2>&1 &&
        [ ! -s "$tmp/said" ] && continue
    bad=$((bad + 1))
    sed "s/^/$kind: /" "$tmp/said"
done <"$tmp/mine"
echo "$n masks, seed $seed, $bad wrong"
[ $bad = 0 ]
