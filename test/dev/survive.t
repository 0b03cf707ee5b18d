#!/bin/sh
# Sessions that outlive what happens to them: a server that is killed and comes
# again, a target that is reset or locked up by wild code, a hang, and a link that
# splits, delays and drops bytes of everything.
cd "$(dirname "$0")/../.." || exit 1
command -v qemu-system-arm >/dev/null || { echo "no QEMU: skipped"; exit 0; }
tmp=$(mktemp -d) || exit 1
server= proxy= shell=
trap 'for p in $server $proxy $shell; do kill -9 $p 2>/dev/null; done
    rm -rf "$tmp"' EXIT
seed=${1:-${SEED:-$(date +%s)}}
echo "seed $seed"
bad=0 n=0

start() { # a machine of QEMU's at $tmp/qemu
    rm -f "$tmp/qemu" "$tmp/monitor"
    qemu-system-arm -M mps2-an386 -display none -serial none -S \
        -monitor unix:"$tmp/monitor",server=on,wait=off \
        -icount shift=6,sleep=off \
        -gdb unix:"$tmp/qemu",server=on,wait=off 2>/dev/null 3>&- &
    server=$!
    while [ ! -S "$tmp/qemu" ]; do sleep 0.05; done
}
stop() {
    kill -9 $server
    wait $server 2>/dev/null
    server=
}
begin() { # DEVICE: a shell that takes its commands from 3
    rm -f "$tmp/in"
    mkfifo "$tmp/in"
    timeout 100 ./tilewright shell -t cortex-m4 --device "$1" \
        <"$tmp/in" >"$tmp/out" 2>&1 &
    shell=$!
    exec 3>"$tmp/in"
    seen=0
}
end() { # STATUS
    exec 3>&-
    wait $shell
    is=$?
    shell=
    n=$((n + 1))
    [ $is = "$1" ] && return
    bad=$((bad + 1))
    echo "a session's status is $is:"
    cat "$tmp/out"
}
say() { # COMMAND [TEXT]: and waits for it, in a line that is new
    echo "$1" >&3
    [ -n "$2" ] || return
    n=$((n + 1)) i=0
    while [ $i -lt 200 ]; do
        tail -n +$((seen + 1)) "$tmp/out" | grep -q -- "$2" && break
        sleep 0.05
        i=$((i + 1))
    done
    seen=$(wc -l <"$tmp/out")
    [ $i = 200 ] || return
    bad=$((bad + 1))
    echo "after '$1' no '$2' in"
    cat "$tmp/out"
}

start
begin unix:"$tmp/qemu"
say 'load test/dev/ops.c' '^ops: code'
say 'alloc x 64' '^x: '
say 'write x 0102'
say 'call count' '^count = 1 '
say 'call count' '^count = 2 '
stop
say 'try call add 1 1' 'failed: .*server closed.*`reset` begins another'
say 'try read x 2' 'failed: .*session is over'
say 'try reset' 'failed: .*no server has this socket'
say 'try call add 1 2' 'failed: .*does not run'
start
say 'reset'
say 'call add 40 2' '^add = 42 '
say 'read x 2' '^0000$'
say 'call count' '^count = 1 '

# Somebody resets the target, whose vectors are none of ours.
say 'timeout 3000'
echo 'try call hang' >&3
sleep 0.3
python3 - "$tmp/monitor" <<'IN'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
got = b''
for word in (b'system_reset\n', b''):
    while not got.endswith(b'(qemu) '):
        more = s.recv(4096)
        if not more:
            sys.exit(0)
        got += more
    got = b''
    s.sendall(word)
IN
say 'timeout 500' "failed: .*server closed.*locked the core up"
kill -0 $server 2>/dev/null || { wait $server; start; }
say reset
say 'call add 30 3' '^add = 33 '
say 'try call hang' 'failed: .*hangs at .*(hang+'
say 'call add 30 4' '^add = 34 '
end 0
stop

# A server of ours that is killed comes again by itself.
begin "pipe:qemu-system-arm -name tw$$ -M mps2-an386 -display none \
    -monitor none -serial none -S -gdb stdio"
say 'load test/dev/ops.c' '^ops: code'
say 'call count' '^count = 1 '
kill -9 $(ps -eo pid,args | sed -n "s/^ *\([0-9]*\) qemu-system-arm -name tw$$ .*/\1/p")
say 'try call count' 'failed: .*another session has begun'
say 'call add 1 4' '^add = 5 '
end 0

# A link that loses a byte in 700 of what is short, whatever it is, and one of
# every sixth piece that is long.
start
python3 test/dev/proxy.py "$tmp/proxy" "$tmp/qemu" "$seed" 700 3>&- &
proxy=$!
while [ ! -S "$tmp/proxy" ]; do sleep 0.05; done
begin unix:"$tmp/proxy"
say 'load test/dev/ops.c' '^ops: code'
for i in 1 2 3 4 5 6 7 8 9 10; do
    say "call add $i 1000" "^add = "
done
for i in 1 2 3 4 5 6 7 8 9 10; do
    n=$((n + 1))
    grep -q "^add = $((1000 + i)) " "$tmp/out" ||
        { bad=$((bad + 1)); echo "no sum of $i and 1000"; }
done
say 'call count' '^count = 1 '
say 'call count' '^count = 2 '
end 0
echo "$n things done, $bad not as wanted"
[ $bad = 0 ]
