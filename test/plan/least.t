#!/bin/sh
# What a refusal says is the least, is: least.t [SEED [COUNT [LAYERS]]].  More:
# test/plan/least.long.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/least || exit 1
build/test/least "${1:-${SEED:-$(date +%s)}}" "${2:-20}" $3
