#!/bin/sh
# What a refusal says is the least, is: least.t [SEED [COUNT [LAYERS]]].  More:
# test/plan/least.long.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
make -s build/test/least || exit 1
# A table of 256 bytes was left in external memory where L2 had less.
[ $# -gt 0 ] || build/test/least 1795696248 1 >/dev/null ||
    { echo "seed 1795696248: not the least"; exit 1; }
build/test/least "${1:-${SEED:-$(date +%s)}}" "${2:-$(part 20)}" $3
