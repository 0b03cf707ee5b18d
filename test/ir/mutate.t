#!/bin/sh
# Graphs changed at random; another seed: test/ir/mutate.t SEED [ROUNDS].
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
make -s build/test/mutate &&
    build/test/mutate "${1:-1}" "${2:-$(part 5000)}" test/ir/*.nn
