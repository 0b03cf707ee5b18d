#!/bin/sh
# Rescaling rounds as TensorFlow Lite's kernels do: against their formulas.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/round || exit 1
build/test/round "${1:-3000}" "${2:-${SEED:-$(date +%s)}}"
