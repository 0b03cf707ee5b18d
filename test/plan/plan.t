#!/bin/sh
# Plans of random graphs are sound; where memory is too small, what is said to
# be missing is enough, and no less is.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
make -s build/test/plan || exit 1
bad=0
build/test/plan share || bad=1
for t in host cortex-m7; do
    build/test/plan random $t 1 "$(part 500)" || bad=1
done
for t in cortex-m4 cortex-m7 cortex-m55; do
    build/test/plan fit $t 1 "$(part 150)" || bad=1
done
exit $bad
