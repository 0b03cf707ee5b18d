#!/bin/sh
# onnxruntime.t: networks with onnxruntime's answers (test/front/onnxruntime/NAME:
# m.onnx, i.npz, o.npz), compiled and run by the command line.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
passed=0 failed=0
for d in $(ls -d test/front/onnxruntime/*/ | each); do
    if ./tilewright run -n network "${d}m.onnx" -q -t host -i "${d}i.npz" \
        -e "${d}o.npz"
    then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $d"
    fi
done
echo "$passed networks as onnxruntime has them, $failed not"
[ $failed = 0 ] && [ $passed != 0 ]
