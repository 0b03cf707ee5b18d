#!/bin/sh
# Flash and code as estimated before the linker are near to what is linked: on
# each chip of an integer, a float or a QDQ network by turns, of all three with
# `all` (flash.long); a chip whose tool chain has other flags has no estimate; a
# kernel that is not in the table is told.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
all=$1
i=0
set --
for chip in $(printf '%s\n' cortex-m4 cortex-m7 cortex-m55 rv32imc siracusa \
    gap8 | each); do
    for net in dscnn-int transformer-f32 resnet8-qdq-u8; do
        [ "$all" ] || [ $((i % 3)) = $((i / 3 % 3)) ] && set -- "$@" zoo/$net $chip
        i=$((i + 1))
    done
done
bench/flash "$@" >"$tmp/t"
awk -v programs=$(($# / 2)) -F'\t' 'NR > 1 {
    n++
    for (i = 5; i <= 8; i += 3)
        if ($i > 6 || $i < -6 || $(i - 2) < 8192 || $9 != 0) {
            print
            bad = 1
        }
}
END { print n " estimates"; exit bad || n != programs }' "$tmp/t" || bad=1
report() {
    ./tilewright report zoo/dscnn-int/network.onnx "$@" --json "$tmp/j" \
        >"$tmp/out" || bad=1
}
sed 's/-O2/-Os/' soc/cortex-m4.soc >"$tmp/other.soc"
report -t "$tmp/other.soc"
grep -q '"estimate": null' "$tmp/j" || { echo "flags differ"; bad=1; }
grep -q '^flash' "$tmp/out" && echo "an estimate of other flags" && bad=1
mkdir "$tmp/k"
sed 's/^ \* cycles.*/ * cycles   1/' kern/ref/conv_int.c >"$tmp/k/conv_int.c"
report -t cortex-m4 --kernels "$tmp/k"
grep -q '^flash .*; [0-9]* kernels* as large as others' "$tmp/out" ||
    { echo "a kernel of unknown size"; cat "$tmp/out"; bad=1; }
[ $bad = 0 ]
