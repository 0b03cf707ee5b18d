#!/bin/sh
# The planner's least L1 and L2 are those of all combinations: room.t [SEED
# [COUNT]].  More: test/plan/room.long.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
make -s build/test/room || exit 1
# What stays in the L2 for one layer came from before.
build/test/room 2036 1 || exit 1
build/test/room "${1:-${SEED:-$(date +%s)}}" "${2:-$(part 30)}"
