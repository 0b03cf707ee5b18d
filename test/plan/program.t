#!/bin/sh
# Programs of teams of cores say what the steps of their plans say.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/program || exit 1
build/test/program "${1:-${SEED:-$(date +%s)}}" 300
