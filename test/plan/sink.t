#!/bin/sh
# Jobs are waited for late, and kernels of cores come behind them, where what
# lives for it has room.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/sink || exit 1
build/test/sink "${1:-${SEED:-$(date +%s)}}" 500
