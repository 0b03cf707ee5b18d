#!/bin/sh
# Several chips: a number goes round 2, 4 and 64 of them over their links.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
guest ring siracusa
bad=0
for n in 2 4 64; do
    want=$(printf 'sum %08x' $((1000 + n * (n - 1) / 2)))
    $SIM $out/ring.elf -t siracusa --chips $n --max-cycles 1000000 \
        --json $out/ring.json >$out/ring.out || bad=1
    grep -q "^$want$" $out/ring.out || bad=1
    grep -q "\"link_bytes\": $((4 * n))" $out/ring.json || bad=1
done
# a chip alone has nobody to send to
$SIM $out/ring.elf -t siracusa --max-cycles 100000 2>$out/ring.err
[ $? = 5 ] && grep -q "no way from chip 0 to chip 0 of 1" $out/ring.err || bad=1
[ $bad = 0 ] || cat $out/ring.out $out/ring.err

# Messages to one chip come one after the other: each more takes its bytes'
# time, 20000 and 4 of them at 500 MB/s, 14403 cycles at 360 MHz.
guest star siracusa
cycles() {
    $SIM $out/star.elf -t siracusa --chips $1 --max-cycles 1000000 \
        --json $out/star.json >$out/star.out 2>&1 || cat $out/star.out >&2
    sed -n 's/.*"cycles": *\([0-9]*\).*/\1/p' $out/star.json | head -1
}
two=$(cycles 2) five=$(cycles 5)
each=$(((five - two) / 3))
[ "$each" -ge 14300 ] && [ "$each" -le 14600 ] ||
    { echo "a message more takes $each cycles ($two, $five)"; bad=1; }

# Who asks for a way first has it first, whatever its number.
guest turns siracusa-500
$SIM $out/turns.elf -t siracusa-500 --chips 6 --max-cycles 1000000 ||
    { echo "messages do not come in the order in which chips ask"; bad=1; }

# Lines of chips do not mix; each has files of its own; the simulation ends with
# chip 0's program, or with the last.
guest lines siracusa
for i in 0 1 2; do
    mkdir -p $out/d$i
    echo $i >$out/d$i/name
done
$SIM -t siracusa --all --max-cycles 1000000 --dir $out/d0 $out/lines.elf \
    --dir $out/d1 $out/lines.elf --dir $out/d2 $out/lines.elf \
    --json $out/lines.json >$out/lines.out || bad=1
[ "$(sort $out/lines.out)" = 'chip 0!
chip 1!
chip 2!' ] && grep -q '"cycles": *5[0-9][0-9][0-9][0-9],' $out/lines.json ||
    { echo "lines:"; cat $out/lines.out $out/lines.json; bad=1; }
$SIM -t siracusa --max-cycles 1000000 --dir $out/d0 $out/lines.elf --chips 2 \
    --json $out/lines.json >$out/lines.out || bad=1
grep -q '"cycles": *1[0-9][0-9][0-9][0-9],' $out/lines.json ||
    { echo "to the end of chip 0:"; cat $out/lines.json; bad=1; }
$SIM -t siracusa $out/lines.elf $out/lines.elf --dir $out/d0 2>$out/lines.err
[ $? = 4 ] && grep -q 'lines.elf: the program ended with status 1' \
    $out/lines.err || { echo "no files:"; cat $out/lines.err; bad=1; }

# what nobody takes is not lost in silence
guest star siracusa -DFLOOD -DBYTES=4
$SIM $out/star.elf -t siracusa --chips 3 --max-cycles 1000000 2>$out/star.err
[ $? = 5 ] && grep -q "1024 messages at chip 0 that nobody took" $out/star.err ||
    { echo "flooded:"; cat $out/star.err; bad=1; }
echo "a number went round 2, 4 and 64 chips; $each cycles a message to one"
exit $bad
