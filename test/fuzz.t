#!/bin/sh
# The readers against hostile input, briefly (fuzz.long: ten minutes).
cd "$(dirname "$0")/.." || exit 1
test/fuzz npz 5 && test/fuzz onnx 8
