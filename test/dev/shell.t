#!/bin/sh
# A session by commands: modules, buffers, calls and their time, many calls in
# few round trips; faults and hangs that a session survives; loads and frees
# that leave as much memory as there was.
cd "$(dirname "$0")/../.." || exit 1
command -v qemu-system-arm >/dev/null || { echo "no QEMU: skipped"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0
{
    cat <<'IN'
load test/dev/ops.c
call add 20 22
call six 1 2 3 4 5 6      # two of them on the stack
call count
call count
call sum values 8
call sum zeros 16
alloc x 1K
alloc y 1K
write x 00112233445566778899aabbccddeeff
call invert x+1 y 15
read y 15
time 5 turns 1000
try call nobody
try load test/dev/nothing.c
try alloc z 9999K
try load test/dev/ops.c
try call wild
try call 0xfffffff0
call count
timeout 300
try call hang
call count
timeout 5000
try read 0xfffffff0 4
IN
    i=0
    while [ $i -lt 100 ]; do
        echo "queue add $i 1000"
        i=$((i + 1))
    done
    echo flush
    echo list
    for i in 1 2 3 4 5 6; do
        printf 'load test/dev/more.c\ncall twice 21\nfree more\n'
    done
    echo list
    printf 'free x\nfree y\nfree ops\nlist\n'
} >"$tmp/in"
has() { # TARGET TEXT [TIMES]
    n=$((n + 1))
    [ "$(grep -c -- "$2" "$tmp/out")" -ge "${3:-1}" ] && return
    bad=$((bad + 1))
    echo "$1: wanted ${3:-1} times '$2' in"
    grep -v ' = 10' "$tmp/out"
}
for t in cortex-m4:qemu rv32imc:qemu cortex-m55:qemu; do
    timeout 60 ./tilewright shell -t ${t%:*} --device ${t#*:} \
        --json "$tmp/json" <"$tmp/in" >"$tmp/out" 2>&1 ||
        { bad=$((bad + 1)); echo "$t ended"; tail -3 "$tmp/out"; }
    has $t '^add = 42 '
    has $t '^six = 654321 '
    has $t '^count = 2 '
    has $t '^sum = 36 '
    has $t '^sum = 0 '
    has $t '^eeddccbb aa998877 66554433 221100'
    has $t '^turns, 5 times: least [0-9]* instructions, median'
    has $t 'failed: nobody: no number, buffer, function or variable'
    has $t 'failed: .*nothing.c: no such file'
    has $t 'failed: .*z wants 10238976 bytes in one piece'
    has $t 'failed: ops is loaded already'
    has $t 'failed: .*fault: .*(wild+0x'
    has $t 'failed: .*fault: .*no function of ours'
    has $t '^count = 3 '
    has $t 'failed: .*did not stop in 0.3 s: it hangs .*(hang+0x'
    has $t '^count = 4 '
    has $t 'failed: .*refuses to read 4 bytes at 0xfffffff0'
    has $t '^add = 1099 '
    has $t '^twice = 42 ' 6
    trips=$(sed -n 's/^100 calls, \([0-9]*\) round trips/\1/p' "$tmp/out")
    n=$((n + 1))
    [ "${trips:-99}" -le 12 ] ||
        { bad=$((bad + 1)); echo "$t: 100 calls, $trips round trips"; }
    n=$((n + 1))
    grep 'bytes free' "$tmp/out" | head -2 | uniq | wc -l | grep -qx 1 ||
        { bad=$((bad + 1)); echo "$t: memory is lost"; }
    least=$(sed -n 's/^turns.*least \([0-9]*\) .*/\1/p' "$tmp/out")
    n=$((n + 1)) # a loop through memory: 5 instructions, 6, or some more
    [ "${least:-0}" -ge 4000 ] && [ "$least" -le 8000 ] ||
        { bad=$((bad + 1)); echo "$t: 1000 turns in $least"; }
    grep -q '"function": "six"' "$tmp/json" || bad=$((bad + 1))
done
# A script's first mistake ends it.
printf 'call nobody\nlist\n' | timeout 60 ./tilewright shell -t cortex-m4 \
    --device qemu >"$tmp/out" 2>&1
[ $? = 5 ] && ! grep -q free "$tmp/out" || { bad=$((bad + 1)); cat "$tmp/out"; }
# Servers of ours end with us, also when a signal ends us.
serve="pipe:qemu-system-arm -name tw$$ -M mps2-an386 -display none \
    -monitor none -serial none -S -gdb stdio"
echo 'call nobody' | timeout 60 ./tilewright shell -t cortex-m4 \
    --device "$serve" >"$tmp/out" 2>&1
mkfifo "$tmp/fifo"
timeout -s KILL 3 ./tilewright shell -t cortex-m4 --device "$serve" \
    <"$tmp/fifo" >"$tmp/out" 2>&1 &
sleep 4 >"$tmp/fifo"
sleep 0.5
n=$((n + 1))
ps ax | grep -q "[n]ame tw$$ " && { bad=$((bad + 1)); echo "QEMU is left"; }
timeout 60 ./tilewright shell -t siracusa --device sim <<'IN' >"$tmp/out" 2>&1
load test/dev/ops.c
call six 1 2 3 4 5 6
timeout 300
try call hang
call count
call count
try call wild
reset
call six 6 5 4 3 2 1
list
IN
has siracusa '^six = 654321 .* cycles .* instructions'
has siracusa '^count = 2 '
has siracusa '^six = 123456 '
has siracusa 'failed: .*hangs'
has siracusa 'failed: .*load of 4 bytes at 0xffffff00'
has siracusa '^[0-9]* bytes free'
echo "$n things looked for in sessions, $bad not there"
[ $bad = 0 ]
