#!/bin/sh
# Operators that few networks have, on a host, a Cortex-M4 and a cluster of
# eight cores: the networks of test/front/ops give their outputs (tools/ops.py).
cd "$(dirname "$0")/../.." || exit 1
failed=0 count=0
for d in test/front/ops/*/; do
    for target in host cortex-m4 siracusa; do
        said=$(test/zoo/networks --one "${d%/}" $target)
        count=$((count + 1))
        case $said in
        ok*) ;;
        *) failed=$((failed + 1)); echo "$said" ;;
        esac
    done
done
echo "$count runs, $failed differ"
[ $failed = 0 ] && [ $count -gt 3 ]
