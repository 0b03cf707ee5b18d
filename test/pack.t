#!/bin/sh
# Static allocation: brute force, what must hold of any instance, and the
# published instances where they are at hand.
cd "$(dirname "$0")/.." || exit 1
make -s build/test/pack || exit 1
dir=../shared/baselines/packing
if [ -d "$dir" ]; then
    build/test/pack 1 2000 "$dir"
else
    echo "no $dir: published instances skipped"
    build/test/pack 1 2000
fi
