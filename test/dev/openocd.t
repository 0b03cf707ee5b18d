#!/bin/sh
# OpenOCD, started by a chip's `server` line, before a core behind JTAG that
# test/dev/jtag.c plays: a network, its layers, calls, a fault and a hang; and
# before a simulated chip, whose instructions are compressed.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
for tool in openocd riscv64-unknown-elf-gcc; do
    command -v $tool >/dev/null || { echo "no $tool: skipped"; exit 0; }
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. test/dev/jtag.sh
jtag_board "$tmp" 400K || exit 1
bad=0 n=0 board=board
on_board() { # STATUS TEXT WORDS...
    want=$1 text=$2
    shift 2
    timeout 100 ./tilewright "$@" -t "$tmp/$board.soc" --device openocd \
        <"$tmp/in" >"$tmp/out" 2>&1
    is=$?
    n=$((n + 1))
    [ $is = $want ] && grep -q -- "$text" "$tmp/out" && return
    bad=$((bad + 1))
    echo "$*: wanted status $want and '$text', is $is:"
    cat "$tmp/out"
}
net=zoo/dscnn-int
: >"$tmp/in"
on_board 0 'expected outputs match' run $net/network.onnx -i $net/inputs.npz \
    -e $net/outputs.npz
! whole ||
    on_board 0 ' equal$' validate $net/network.onnx -i $net/inputs.npz
cat >"$tmp/in" <<'IN'
load test/dev/ops.c
call six 1 2 3 4 5 6
try call wild
call count
timeout 500
try call hang
timeout 10000
call count
try read 0x1000 4
IN
on_board 0 '^six = 654321 .* cycles' shell
for text in 'failed: .*fault: mcause=00000005.*(wild+' '^count = 2 ' \
    'failed: .*hangs at .*(hang+' 'failed: .*refuses to read 4 bytes at 0x0*1000'
do
    n=$((n + 1))
    grep -q "$text" "$tmp/out" && continue
    bad=$((bad + 1))
    echo "no '$text' in"
    cat "$tmp/out"
done
jtag_sim "$tmp" siracusa
board=sim
: >"$tmp/in"
if whole; then
    on_board 0 'expected outputs match' run $net/network.onnx \
        -i $net/inputs.npz -e $net/outputs.npz --no-engine neureka
    on_board 0 ' equal$' validate $net/network.onnx -i $net/inputs.npz \
        --no-engine neureka
fi
cat >"$tmp/in" <<'IN'
load test/dev/ops.c
call six 1 2 3 4 5 6
timeout 500
try call hang
timeout 10000
reg pc
read 0x1c010000 4
IN
on_board 0 '^six = 654321 .* cycles' shell
echo "$n things done through OpenOCD, $bad not as wanted"
[ $bad = 0 ]
