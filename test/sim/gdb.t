#!/bin/sh
# gdb-multiarch loads, breaks, steps, inspects cores, changes memory.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
guest gdb pulp-open -g
port=$((20000 + $$ % 20000))
timeout 20 $SIM $out/gdb.elf -t pulp-open --gdb $port >/dev/null 2>&1 &
sleep 0.5
timeout 20 python3 test/sim/packets.py $port || exit 1
wait
command -v gdb-multiarch >/dev/null || { echo "no gdb-multiarch: skipped"; exit 0; }
port=$((port + 1))
timeout 20 $SIM $out/gdb.elf -t pulp-open --gdb $port >$out/gdb.out 2>&1 &
sleep 0.5
timeout 20 gdb-multiarch -nx -batch $out/gdb.elf \
    -ex 'set confirm off' -ex "target remote :$port" -ex 'load' \
    -ex 'set $pc = rt_reset' -ex 'break addition' -ex 'continue' \
    -ex 'print a' -ex 'print b' -ex 'finish' -ex 'print total' \
    -ex 'set var total = 1000' -ex 'info threads' -ex 'stepi' -ex 'stepi' \
    -ex 'delete' -ex 'continue' >$out/gdb.log 2>&1
wait
bad=0 n=0
expect() {
    n=$((n + 1))
    grep -q "$1" "$2" && return
    bad=$((bad + 1))
    echo "not in $2: $1"
    cat "$2"
}
expect 'Breakpoint 1, addition' $out/gdb.log
expect '^\$1 = 20' $out/gdb.log
expect '^\$2 = 22' $out/gdb.log
expect 'Value returned is .* = 42' $out/gdb.log
expect 'Thread 2 (cluster.0)' $out/gdb.log
expect 'exited with code 03' $out/gdb.log
expect 'total 000003e8' $out/gdb.out
echo "$n things looked for in a session of gdb, $bad missing"
exit $((bad > 0))
