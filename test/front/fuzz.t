#!/bin/sh
# The readers against hostile input, briefly (fuzz.long: ten minutes).
# Sanitizers: its own.
cd "$(dirname "$0")/../.." || exit 1
test/front/fuzz npz 5 && test/front/fuzz onnx 8 && test/front/fuzz tflite 6
