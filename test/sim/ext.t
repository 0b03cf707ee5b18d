#!/bin/sh
# Transfers to and from L1 and external memory: what they move, what they cost
# against the chip's description, from the fabric controller too, and filling
# external memory from a file.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
make -s build/test/predict || exit 1
all=0

fail() {
    echo "$*"
    cat $out/ext.out
    exit 1
}

value() { # NAME FIELD: of its first line
    sed -n "s/^$1 //p" $out/ext.out | head -n 1 | cut -d' ' -f$2 |
        sed 's/^/0x/'
}

costs() { # CHIP [FLAG]
    guest ext $1 rt/pulp/ext.c $2
    $SIM $out/ext.elf -t $1 --max-cycles 200000000 >$out/ext.out ||
        fail "$1: transfers went wrong"
    build/test/predict $1 <$out/ext.out || fail "$1: not as predicted"
    for what in mchan hyper; do
        [ $(($(value ${what}_start 4))) -lt 100 ] &&
            [ $(($(value ${what}_start_2d 4))) -lt 100 ] ||
            fail "$1: starting a transfer of $what takes a core too long"
    done
    [ $(($(value work_all 4) * 100)) -lt $(($(value work 4) * 102)) ] ||
        fail "$1: transfers hold up the cores"
    all=$((all + 1))
}

costs gap8
costs siracusa
costs siracusa -DROOM=160000

guest extfc gap8
$SIM $out/extfc.elf -t gap8 --max-cycles 10000000 >$out/ext.out ||
    fail "from the fabric controller"

guest extload siracusa rt/pulp/ext.c rt/pulp/load.c
sum=$(python3 - $out/image.bin <<'END'
import random, sys
n, room, s = 4 * 1024 * 1024 + 13, 32768, 0
data = random.Random(1).randbytes(n)
open(sys.argv[1], "wb").write(data)
for i in range(0, n, room):
    part = data[i:i + room]
    for j in range(0, len(part), 4096):
        last = j + (len(part) - j - 1) % 4096
        s = (s * 31 + part[j] + 256 * part[last]) & 0xffffffff
print("sum %08x" % s)
END
)
begin=$(date +%s%N)
(sim=$PWD/$SIM && cd $out &&
    $sim extload.elf -t siracusa --max-cycles 100000000) >$out/ext.out ||
    fail "loading"
ms=$((($(date +%s%N) - begin) / 1000000))
[ "$(cat $out/ext.out)" = "$sum" ] || fail "wanted $sum"
echo "$all chips move what they should, 4 MB loaded in $ms ms"
