#!/bin/sh
# The client of gdb's protocol: all of it with a server that answers rightly;
# many sessions with one that answers wrongly, none of which may hang, crash, or
# fail without a reason.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/session || exit 1
seed=${1:-${SEED:-$(date +%s)}}
echo "seed $seed"
timeout 60 build/test/session right "$seed" &&
    timeout 100 build/test/session fuzz "$seed" 120
