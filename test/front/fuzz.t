#!/bin/sh
# The readers against hostile input, the same ones each time for a
# SEED (fuzz.long: others for ten minutes).
# Sanitizers: its own.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
export SEED="${SEED:-1}"
test/front/fuzz npz "-runs=$(part 20000)" &&
    test/front/fuzz onnx "-runs=$(part 8000)" &&
    test/front/fuzz tflite "-runs=$(part 5000)"
