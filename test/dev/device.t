#!/bin/sh
# Networks by session on QEMU and the simulator: bits, time, states, errors; a
# link that splits, delays and drops; a server that is killed and comes again.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
server=
trap '[ -n "$server" ] && kill $server 2>/dev/null; rm -rf "$tmp"' EXIT
seed=${1:-${SEED:-$(date +%s)}}
echo "seed $seed"
bad=0 n=0
tool=qemu-system-arm
command -v $tool >/dev/null || { echo "no $tool: skipped"; exit 0; }
net=zoo/dscnn-int
long=zoo/resnet8-int
run() { # NET TARGET DEVICE [MORE]
    of=$1 t=$2 d=$3
    shift 3
    timeout 120 ./tilewright run $of/network.onnx -i $of/inputs.npz \
        -e $of/outputs.npz -t $t --device "$d" -q --json "$tmp/json" "$@" \
        >"$tmp/out" 2>"$tmp/err"
}
wants() { # STATUS IS [TEXT]
    n=$((n + 1))
    [ "$1" = "$2" ] && { [ -z "$3" ] || grep -q -- "$3" "$tmp/err"; } && return
    bad=$((bad + 1))
    echo "wanted status $1 and '$3', is $2:"
    cat "$tmp/err"
}
key() {
    sed -n 's/^  "'"$1"'": \([0-9a-z]*\).*/\1/p' "$tmp/json"
}
near() { # WHAT A B PERCENT: so near
    n=$((n + 1))
    awk -v a="$2" -v b="$3" -v p="$4" \
        'BEGIN { d = 100 * (a / b - 1); exit !(a > 0 && d * d < p * p) }' &&
        return
    bad=$((bad + 1))
    echo "$1: $2, not $3"
}
# By marks and other places they may differ.
by_session() { # NET TARGET DEVICE KEY PERCENT [MORE]
    of_net=$1 target=$2 on=$3 what=$4 percent=$5
    shift 5
    run $of_net $target $on "$@"
    wants 0 $? ''
    count=$(key $what)
    timeout 60 ./tilewright run $of_net/network.onnx -i $of_net/inputs.npz \
        -t $target -q --json "$tmp/json" "$@"
    near "$target, $what" "$count" "$(key $what)" $percent
}
by_session $net cortex-m4 qemu instructions 0.01
by_session $net rv32imc qemu instructions 0.01
# without a counter of the machine, by SysTick, of 24 bits
sed 's/ counter=[^ ]*//' soc/cortex-m4.soc >"$tmp/systick.soc"
! whole || by_session $net "$tmp/systick.soc" qemu instructions 0.01
printf 'load test/dev/ops.c\ncall turns 10000\ncall turns 20000000\n' |
    timeout 60 ./tilewright shell -t "$tmp/systick.soc" --device qemu \
        >"$tmp/out" 2>"$tmp/err"
wants 0 $? ''
n=$((n + 1))
[ "$(grep -c '^turns = ' "$tmp/out")" = 2 ] &&
    [ "$(grep -c 'instructions' "$tmp/out")" = 1 ] ||
    { bad=$((bad + 1)); echo "by SysTick:"; cat "$tmp/out"; }
by_session $long siracusa sim cycles 1 --no-engine neureka
! whole || by_session $long gap8 sim cycles 1
run $net cortex-m55 qemu --flash
wants 0 $? ''
if whole; then
    run zoo/kws-int-state cortex-m7 qemu $(cat zoo/kws-int-state/options)
    wants 0 $? ''
fi

# Two programs, one after the other, in one session.
run $net siracusa sim --dump "$tmp/dump"
wants 0 $? ''
[ -s "$tmp/dump/layers.npz" ] || { bad=$((bad + 1)); echo "no dump"; }

# Errors name what is likely.
run $net host gdb:localhost:1
wants 5 $? 'host is this machine'
run $net cortex-m4 gdb:localhost:1
wants 5 $? 'nothing listens there'
run $net cortex-m4 unix:"$tmp/none"
wants 5 $? 'no server has this socket'
run $net cortex-m4 pipe:'echo hello; sleep 1'
wants 5 $? 'no gdb server\|closed the connection'
run $net cortex-m4 pipe:'exit 1'
wants 5 $? 'closed the connection'
run $net cortex-m4 nonsense
wants 5 $? 'wanted gdb:HOST:PORT'
start() { # a machine of QEMU's at $tmp/qemu
    rm -f "$tmp/qemu"
    qemu-system-$1 -M $2 -display none -monitor none -serial none -S \
        -icount shift=6,sleep=off \
        -gdb unix:"$tmp/qemu",server=on,wait=off 2>/dev/null &
    server=$!
    while [ ! -S "$tmp/qemu" ]; do sleep 0.05; done
}
stop() {
    kill -9 $server
    wait $server 2>/dev/null
    server=
}
start arm mps2-an386
run $net rv32imc unix:"$tmp/qemu"
wants 5 $? 'the target is arm, rv32imc wants riscv'
run $net cortex-m4 unix:"$tmp/qemu"
wants 0 $? ''
stop
run $net cortex-m4 unix:"$tmp/qemu"
wants 5 $? 'no server has this socket'
start arm mps2-an386
python3 test/dev/proxy.py "$tmp/proxy" "$tmp/qemu" "$seed" &
while [ ! -S "$tmp/proxy" ]; do sleep 0.05; done
run $net cortex-m4 unix:"$tmp/proxy"
wants 0 $? ''
stop
echo "$n sessions, $bad not as wanted"
[ $bad = 0 ]
