#!/bin/sh
# DMA engines and energy as the planner sees them; descriptions refused.
cd "$(dirname "$0")/../.." || exit 1
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
refused 'wanted names of memories' 'dma mchan levels=L1,L9'
refused 'wanted the nearer memory first' 'dma mchan levels=L2,L1'
refused 'bytes_per_cycle=0, wanted more than 0' 'dma mchan bytes_per_cycle=0'
refused 'x.soc:3: dma mchan: queue=0, wanted 1' 'dma mchan queue=0'
refused 'largest=32, wanted 64' 'dma mchan largest=32'
refused 'clock cluster: mhz=0, wanted more' 'clock cluster mhz=0'
refused 'core cluster: count=0, wanted 1 to 255' 'core cluster count=0'
refused 'count=256, wanted 1 to 255' 'core cluster count=256'
refused 'rt=none, wanted a folder' 'chip x rt=none'
refused 'count=8, wanted 1: its runtime' 'chip x rt=riscv'
refused 'x.soc:3: memory L1: size=K, wanted a number' 'memory L1 size=K'
refused 'size=1e300, wanted a number' 'memory L1 size=1e300'
refused 'memory L1: no size' 'memory L1 size=null'
refused 'align=3, wanted a power of two' 'memory L1 align=3'
refused 'reserve mine: no memory' 'reserve mine size=1K'
refused 'size=-1K, wanted 0' 'reserve mine memory=L1 size=-1K'
refused 'L1 has only 65536 bytes' 'reserve mine memory=L1 size=64K'
refused "unknown key 'siez'; wanted one of: .*size" 'memory L1 siez=64K'
refused 'level=-1, wanted 1 to 9' 'memory L1 level=-1'
refused 'level=1.5, wanted 1 to 9, an integer' 'memory L1 level=1.5'
refused 'latency=-4, wanted 0 to' 'memory L1 latency=-4'
refused 'l1_sets=1000000000, wanted 0 to' 'core cluster l1_sets=1000000000'
refused 'x.soc:3: memory L1: .* overlaps memory L2, 0x1c010000 to 0x1c18ffff' \
    'memory L1 base=0x1c010000'
refused 'base=0xfffff000 and size=1048576 go beyond 4 GB' \
    'memory L1 base=0xfffff000 size=1M'
refused 'there is a memory L1' 'memory l1 base=0x30000000 size=1K'
refused "chip '../../x; rm': a name is of letters" 'chip "../../x; rm"'
refused "memory 'a-b': a name is of letters, digits and _$" \
    'memory a-b base=0 size=1K'
refused "reserve '-x': a name is of letters" 'reserve -x memory=L1 size=1'
# Every key is on the page.
sed -n 's/^KEY("\([a-z]*\)", *"\([a-z0-9_]*\)".*/\2/p' src/soc/key.def |
    sort -u | while read -r key; do
    case $key in out_*) key=out_... ;; esac
    grep -qF "\`$key\`" doc/soc.md && continue
    echo "doc/soc.md does not say what $key means"
    exit 1
done || exit 1
# The page's example, under its own name.
sed -n '/^    include cortex-m7/,/^    reserve ours/s/^    //p' doc/soc.md \
    >$tmp/mine.soc
./tilewright targets $tmp/mine.soc |
    grep -q '^chip mine about="our board, rev C" rt=cortex-m ' ||
    { echo "another chip than mine"; exit 1; }
exec build/test/soc
