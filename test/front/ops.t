#!/bin/sh
# Operators that few networks have: the networks of test/front/ops give their
# outputs (tools/ops.py), on a host, and on a Cortex-M4 or a cluster of eight
# cores by turns; with `all` on both (ops.long).
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
all=$1
failed=0 count=0 chip=siracusa
for d in $(ls -d test/front/ops/*/ | each); do
    [ $chip = siracusa ] && chip=cortex-m4 || chip=siracusa
    chips=$chip
    [ "$all" ] && chips='cortex-m4 siracusa'
    for target in host $chips; do
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
