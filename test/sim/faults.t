#!/bin/sh
# A guest that misbehaves gets a report and exit 5; one that fails, exit 4.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
bad=0 n=0
try() { # NAME EXIT TEXT OPTIONS
    case=$1 want=$2 text=$3
    shift 3
    guest faults pulp-open -DCASE=$case -fno-inline -Wno-unused-function \
        -Wno-array-bounds
    $SIM $out/faults.elf -t pulp-open --max-cycles 300000 "$@" \
        >$out/faults.out 2>$out/faults.err
    got=$?
    n=$((n + 1))
    [ $got = $want ] && { [ ! "$text" ] || grep -q "$text" $out/faults.err; } &&
        return
    bad=$((bad + 1))
    echo "$case: exit $got, wanted $want and '$text':"
    cat $out/faults.err
}
try wild_store 5 "store of 4 bytes at 0x30000000.*wild_store"
try wild_load 5 "load of 4 bytes at 0x00000010.*wild_load"
try endless 5 "still running after 300000 cycles"
try endless 5 "still running after 1234 cycles" --max-cycles 1234
try bad_insn 5 "jump to 0x50000000: no memory there.*bad_insn"
try caught_insn 4 "ended with status 103"
try self_modified 5 "overwritten after it had run"
try renewed 0 ""
try dma_nowhere 5 "DMA, far side: 64 bytes at 0x40000000"
try dma_overrun 5 "run over the end of L1 at 0x10010000"
try dma_empty 5 "DMA, L1 side: 256 bytes at 0x10010000: no memory"
try dma_unasked 5 "DMA command 0x.*no transfer id was asked for"
try dma_ids 5 "every core waits"
try sleep_for_ever 5 "every core waits"
try mutex_masked 5 "every core waits"
try mutex_unmasked 0 ""
try ends_by_register 4 "ended with status 7"
try ends_by_exit 0 ""
try ends_by_exit_bad 4 "ended with status 1"
try ends_by_exit_extended 4 "ended with status 9"
try jump_nowhere 5 "jump to 0x40000000: no memory there"
try environment_call 4 "ended with status 103"
try status_3 4 "ended with status 3"
try stdout_misaligned 5 "misaligned store of 2 bytes at 0x1a10f001"
try hyper_overrun 5 "I/O DMA: 256 bytes at external 0x007fffff"
printf '.global _start\n_start: nop\nthere: .word 0xffffffff\n' >$out/bare.S
$cross -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -nostdlib \
    -Wl,-n,-Ttext=0x1c010000 -o $out/bare.elf $out/bare.S || exit 1
there="(pc 0x1c01000[24], there"
$SIM $out/bare.elf -t siracusa 2>$out/faults.err
[ $? = 5 ] && grep -q "illegal instruction .word 0xffffffff $there" \
    $out/faults.err || { bad=$((bad + 1)); cat $out/faults.err; }
usage() { # EXIT ARGUMENTS
    want=$1
    shift
    $SIM "$@" >/dev/null 2>$out/faults.err
    got=$?
    n=$((n + 1))
    [ $got = $want ] && return
    bad=$((bad + 1))
    echo "$*: exit $got, wanted $want"
}
usage 2
usage 2 $out/faults.elf
usage 2 $out/faults.elf -t nosuchchip
usage 2 $out/faults.elf -t pulp-open --chips 65
usage 2 $out/faults.elf -t pulp-open --max-cycles x
printf 'include gap8\nchip x\ncore cluster l1_sets=1000000000\n' >$out/sets.soc
usage 1 $out/faults.elf -t $out/sets.soc
printf 'include gap8\nchip x\ncore cluster l1_sets=33\n' >$out/sets.soc
usage 1 $out/faults.elf -t $out/sets.soc
printf 'include gap8\nchip x\nmemory L1 arbiter=none\n' >$out/sets.soc
usage 1 $out/faults.elf -t $out/sets.soc
printf 'include gap8\nchip x\nmemory L1 ports=15\n' >$out/sets.soc
usage 1 $out/faults.elf -t $out/sets.soc
usage 1 /dev/null -t pulp-open
usage 1 test/sim/faults.c -t pulp-open
usage 1 $SIM -t pulp-open
usage 1 /nonexistent -t pulp-open
echo "$n guests and command lines, $bad not as they should"
exit $((bad > 0))
