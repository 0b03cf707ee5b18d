#!/bin/sh
# The evaluator's convolutions are what six loops make: sums.t [SEED]
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/sums || exit 1
build/test/sums "${1:-${SEED:-$(date +%s)}}" 200
