#!/bin/sh
# Plans changed at random: every change of meaning must be rejected.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/verify || exit 1
bad=0
for t in host cortex-m7; do
    build/test/verify $t ${SEED:-1} 300 || bad=1
done
exit $bad
