#!/bin/sh
# Kernel heads and the expressions in them: heads.t [SEED]
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/heads && build/test/heads "${1:-${SEED:-$(date +%s)}}"
