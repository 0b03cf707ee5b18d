#!/bin/sh
# A network on two emulated boards, whose serial ports are connected, has its
# bits on both; on RISC-V boards too.  With a line that loses, changes, repeats or
# keeps back a byte, and with a board that is not there, the others say so within
# the time limit and end with 5; bytes that come late, but in time, do no harm.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
command -v qemu-system-arm >/dev/null && command -v arm-none-eabi-gcc >/dev/null ||
    { echo "no QEMU, or no arm-none-eabi-gcc: skipped"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
fault() { echo "$*"; bad=1; }
net=zoo/autoencoder-int/network.onnx
for t in cortex-m4 rv32imc; do
    [ $t = cortex-m4 ] || whole || continue
    [ $t = rv32imc ] && ! command -v riscv64-unknown-elf-gcc >/dev/null && continue
    ./tilewright shard $net -t $t --chips 2 -o "$tmp/$t" -q || exit 1
    timeout 100 "$tmp/$t/run" -j2 DEFS=-DLINK_MS=20000 >"$tmp/said" 2>&1 ||
        fault "$t: $(cat "$tmp/said")"
    [ "$(grep -c 'self-test passed' "$tmp/said")" = 2 ] ||
        fault "$t: $(cat "$tmp/said")"
done

# faulty HOW: what chip 1 says comes to chip 0 so
for i in 0 1; do
    rm -r "$tmp/cortex-m4/chip$i/build"
    make -s -C "$tmp/cortex-m4/chip$i" -j2 DEFS=-DLINK_MS=4000 || exit 1
done
start() { # CHIP PEER
    timeout 60 make -s -C "$tmp/cortex-m4/chip$1" run RUNFLAGS="-chardev \
        pipe,id=line,path=$tmp/$1-$2 -serial chardev:line" >"$tmp/said$1" 2>&1
    echo $? >"$tmp/status$1"
}
mkfifo "$tmp/0-1.in" "$tmp/0-1.out" "$tmp/1-0.out" && # 1-0.out is not 0-1.in
    ln -s 0-1.out "$tmp/1-0.in" || exit 1
faulty() {
    python3 - "$tmp" "$1" <<'END' &
import os
import sys
import time
tmp, how = sys.argv[1:]
src = os.open(tmp + '/1-0.out', os.O_RDWR)
dst = os.open(tmp + '/0-1.in', os.O_RDWR)
seen, at = b'', -1
while True:
    b = os.read(src, 1)
    seen = seen[-1:] + b
    if seen == b'TL' and at < 0: # the begin of a message, after the agreement's
        at -= 1
        at = 30 if at == -4 else at
    elif at > 0:
        at -= 1
        if not at:
            b = {'loses': b'', 'changes': bytes([b[0] ^ 4]),
                 'repeats': b + b}.get(how, b)
            time.sleep({'stops': 6, 'is late': 1}.get(how, 0))
    os.write(dst, b)
END
    pid=$!
    start 0 1 &
    zero=$!
    [ "$1" = 'is absent' ] || start 1 0
    wait $zero
    kill $pid
    wait $pid 2>/dev/null
    for f in 0-1.in 0-1.out 1-0.out; do
        rm "$tmp/$f" && mkfifo "$tmp/$f"
    done
}
for how in $(printf '%s\n' loses changes repeats stops | each); do
    faulty $how
    grep -q 'Error 5' "$tmp/said0" &&
        grep -q 'chip 0: .* chip 1, layer dense' "$tmp/said0" &&
        [ "$(cat "$tmp/status1")" != 0 ] ||
        fault "a line that $how: $(cat "$tmp/said0" "$tmp/said1")"
done
faulty 'is absent'
grep -q 'Error 5' "$tmp/said0" &&
    grep -q 'chip 0: nothing .* chip 1, at the start' "$tmp/said0" ||
    fault "a board that is not there: $(cat "$tmp/said0")"
faulty 'is late'
[ "$(cat "$tmp/status0" "$tmp/status1")" = '0
0' ] || fault "a byte that is late: $(cat "$tmp/said0" "$tmp/said1")"
[ $bad = 0 ] && echo "two boards as one, faults told"
[ $bad = 0 ]
