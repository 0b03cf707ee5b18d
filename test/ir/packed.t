#!/bin/sh
# Weights packed for accelerators: packed.t [SEED [COUNT]].
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/packed || exit 1
build/test/packed "${1:-${SEED:-$(date +%s)}}" "${2:-600}"
