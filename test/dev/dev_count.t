#!/bin/sh
# Instructions are counted exactly: a loop of two instructions, run n times,
# costs 2 n more than an empty one on every emulated chip, and a fault in the
# guest is reported with its place.
cd "$(dirname "$0")/../.." || exit 1
d=build/test/count
mkdir -p $d
${HOSTCC:-cc} -Isrc -o $d/link test/dev/link.c build/src/base/*.o build/src/soc/*.o \
    build/packed.o build/packdata.o -lzip || exit 1
bad=0 done=0
# word CHIP KIND KEY: the value of a key, as `targets` prints it
word() {
    $d/link "$1" "$2" "$3"
}
run() { # run ELF N: the counts, one a line
    low=$(printf %03o $(($2 % 256))) high=$(printf %03o $(($2 / 256)))
    printf "\\$low\\$high\\0\\0" >$d/in.bin
    (cd $d && rm -f counts && timeout 20 $qemu -plugin \
        ../../count.so,out=counts >said 2>&1) || return
    cut -d " " -f 1 $d/counts
}
for chip in cortex-m4 cortex-m7 cortex-m55 rv32imc; do
    cc=$(word $chip toolchain cc)
    if ! command -v "$cc" >/dev/null; then
        echo "$chip: no $cc: skipped"
        continue
    fi
    rt=rt/$(word $chip chip rt)
    $d/link $chip >$d/$chip.ld
    for def in NONE FAULT; do
        # shellcheck disable=SC2046
        $cc $(word $chip toolchain cflags) $(word $chip toolchain ldflags) \
            -D$def -Wall -Irt -I$rt -T $d/$chip.ld \
            -o $d/$chip.$def test/dev/count.c rt/run.c rt/semihost.c \
            rt/stack.c $rt/*.[cS] || bad=1
    done
    qemu=$(word $chip runner cmd | sed "s|{elf}|$chip.NONE|")
    a=$(run NONE 1 | sed -n 2p) b=$(run NONE 50001 | sed -n 2p)
    echo "$chip: $a for 1 round, $b for 50001"
    [ $((b - a)) = 100000 ] || bad=1
    a=$(run NONE 1 | sed -n 3p) b=$(run NONE 50001 | sed -n 3p)
    case $chip in
    cortex-m55) [ $((b - a)) = 150000 ] || bad=1 ;;
    esac
    qemu=$(word $chip runner cmd | sed "s|{elf}|$chip.FAULT|")
    run FAULT 1 >/dev/null && { echo "$chip: no fault"; bad=1; }
    grep 'fault: .*pc=[0-9a-f]' $d/said || { echo "$chip: no place"; bad=1; }
    done=$((done + 1))
done
# Marks of four bytes that begin in front of, on and behind the end of a page.
if [ -e $d/cortex-m4.NONE ]; then
    chip=cortex-m4 rt=rt/cortex-m
    qemu=$(word $chip runner cmd | sed "s|{elf}|$chip.PAD|")
    for pad in 2036 2037 2038 2045 2046; do
        # shellcheck disable=SC2046
        $(word $chip toolchain cc) $(word $chip toolchain cflags) \
            $(word $chip toolchain ldflags) -DPAD="\"$pad\"" -Irt -I$rt \
            -T $d/$chip.ld -o $d/$chip.PAD test/dev/count.c rt/run.c \
            rt/semihost.c rt/stack.c $rt/*.[cS] || bad=1
        [ "$(run PAD 1 | tr '\n' ' ')" = "3 4 0 3 " ] || {
            echo "mark at the end of a page, $pad: $(run PAD 1)"
            bad=1
        }
    done
fi
echo "instructions exact, faults told, on $done emulated chips"
[ $bad = 0 ] && [ $done -gt 0 ]
