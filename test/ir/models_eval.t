#!/bin/sh
# Networks run with the plain kernels against their vectors, from the front
# end's graph as it is: the dialect's equal, floats within 1e-4.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/models_eval || exit 1
models=${TILEWRIGHT_MODELS:-../shared/models}
passed=0 failed=0
for f in zoo/*/network.onnx $(find "$models" -name network.onnx 2>/dev/null)
do
    d=${f%/network.onnx}
    case $d in
    zoo/*-qdq-*) continue ;; # float here: integers come with quant
    esac
    [ -f "$d/options" ] && continue # sequences: test/gen/sequence.t
    [ -f "$d/inputs.npz" ] && [ -f "$d/outputs.npz" ] || continue
    if out=$(build/test/models_eval "$f" "$d/inputs.npz" "$d/outputs.npz" 2>&1)
    then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$out"
    fi
done
[ -d "$models" ] || echo "no $models: only the networks of zoo/"
echo "$passed networks equal their vectors, $failed do not"
[ $failed = 0 ] && [ $passed -gt 0 ]
