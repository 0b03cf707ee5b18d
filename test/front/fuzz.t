#!/bin/sh
# The readers against hostile input, the same ones each time for a
# SEED (fuzz.long: others for ten minutes).
# Sanitizers: its own.
cd "$(dirname "$0")/../.." || exit 1
export SEED="${SEED:-1}"
test/front/fuzz npz -runs=20000 && test/front/fuzz onnx -runs=8000 &&
    test/front/fuzz tflite -runs=5000
