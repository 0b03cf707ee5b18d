#!/bin/sh
# Tiled plans, the planner's and naive ones, as made and changed at random:
# moves.t [SEED [COUNT [CHANGES]]].
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
make -s build/test/moves || exit 1
# a job begins before that is waited for whose result it reads
build/test/moves 9107 1 25 | grep ' 0 wrong$' || exit 1
build/test/moves "${1:-${SEED:-1}}" "${2:-$(part 40 10)}" "${3:-25}"
