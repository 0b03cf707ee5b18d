#!/bin/sh
# DMA engines and energy as the planner sees them; descriptions refused.
cd "$(dirname "$0")/.." || exit 1
make -s build/test/soc || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
refused() { # WHAT LINE: the message names it
    printf 'include pulp-open\nchip x about="" rt=pulp\n%s\n' "$2" >$tmp/x.soc
    build/test/soc $tmp/x.soc 2>$tmp/said
    [ $? = 1 ] && grep -q "$1" $tmp/said && return
    echo "not refused: $2"
    cat $tmp/said
    exit 1
}
refused 'wanted two memories' 'dma mchan levels=L1'
refused 'names no memory' 'dma mchan levels=L1,L9'
refused 'bytes_per_cycle is not positive' 'dma mchan bytes_per_cycle=0'
exec build/test/soc
