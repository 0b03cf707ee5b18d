#!/bin/sh
# Checkpoints of llama2.c: llama2c.t [SEED [ROUNDS]].
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/llama2c || exit 1
build/test/llama2c "${1:-${SEED:-$(date +%s)}}" "${2:-30}"
