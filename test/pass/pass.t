#!/bin/sh
# Every pass on small graphs that carry the answer, then on random networks,
# whose results it must not change.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
make -s build/test/nn build/test/passes || exit 1
test/run test/pass/*.nn || exit 1
build/test/passes "${1:-$(part 3000 750)}" "${2:-1}"
