#!/bin/sh
# The three examples of doc/sim.md: a device, an instruction, a chip.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
x=$out/extend
rm -rf $x
mkdir -p $x/sim
take() { # BLOCK: a fenced block of the page by its name
    awk -v b="$1" '/^```/ { on = $2 == b; next } on' doc/sim.md
}
take dev_dice.c >$x/dev_dice.c
take casino.soc >$x/casino.soc
{ sed '$d' src/sim/insn.def; take insn.def; tail -n 1 src/sim/insn.def; } \
    >$x/sim/insn.def
host=$(echo "$host" | sed "s|-O2|-O0|")
host=$(echo "$host" | sed "s|-I. |-I$x -I. |")
for f in core decode; do
    $host -c -o $x/$f.o src/sim/$f.c || exit 1
done
SIM=$x/simulate
$host -o $SIM test/sim/main.c build/src/cli/sim.o $x/dev_dice.c $x/*.o \
    $(echo "$objects" | tr ' ' '\n' | grep -v 'sim/\(core\|decode\)\.o') \
    $libs || exit 1
guest extend $x/casino.soc
$SIM $out/extend.elf -t $x/casino.soc --trace $x/trace >$x/said
status=$?
bad=0
[ $status = 0 ] || bad=1
grep -q "sum 80000002 dice 1" $x/said || bad=1
grep -q "x.addsu " $x/trace || bad=1
[ $bad = 0 ] || { cat $x/said; echo "status $status"; }
echo "a device, an instruction and a chip added as doc/sim.md says"
exit $bad
