#!/bin/sh
# Random networks with states, over many runs: state.t [SEED [COUNT]].
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
make -s build/test/state || exit 1
build/test/state "${1:-${SEED:-$(date +%s)}}" "${2:-$(part 100)}"
