#!/bin/sh
# Generated projects build and run on every target and give what the evaluator
# gives, bit by bit for integers; the self-test passes, and finds a weight that
# was changed; nothing is overwritten or left half-written.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
d=build/test/gen
rm -rf $d
mkdir -p $d
# Of sources that are gone, objects may still lie there.
objects=$(find src -name "*.c" ! -path "*/cli/*" ! -path "*/plugin/*" |
    sed 's|.*|build/&|; s|c$|o|'; find build/eval -name "*.o")
# shellcheck disable=SC2086
${HOSTCC:-cc} -std=c11 -D_GNU_SOURCE -g -Wall -Wextra -Isrc -I. -o $d/gen test/gen/gen.c \
    $objects build/*.o -lprotobuf-c -lzip -lelf -lm || exit 1
passed=0 failed=0
check() { # check WHAT COMMAND...
    what=$1
    shift
    if "$@" >$d/said 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $what"
        tail -n 12 $d/said | sed 's/^/    /'
    fi
}
not() {
    ! "$@"
}
strict='-std=c11 -O1 -g -Wall -Wextra -Wpedantic -Wshadow -Werror'
strict="$strict -Wmissing-prototypes -fsanitize=address,undefined"
selftest() {
    make -s -B -C "$@" run >$d/log 2>&1 && grep 'self-test passed' $d/log
}
# fits CHIP: a network is refused by a chip with too little memory, and fits
# into one that has just what was missing; first RAM, then flash.
fits() {
    sed -E "s/^(memory RAM .* )size=[0-9]+K/\1size=9K/
        s/^(memory FLASH .* )size=[0-9]+M/\1size=20000/" soc/$1.soc >$d/fit.soc
    for memory in RAM FLASH; do
        ./tilewright run -q zoo/dscnn-int/network.onnx -t $d/fit.soc \
            --json $d/fit.json
        [ $? = 3 ] || return 1
        python3 -c "
import json, re
for m in json.load(open('$d/fit.json'))['missing']:
    assert m['name'] == '$memory' and m['bytes'] > 0, m
    s = open('$d/fit.soc').read().replace('size=9K', 'size=9216')
    s = re.sub(r'(memory $memory .* size=)([0-9]+)',
               lambda k: k[1] + str(int(k[2]) + m['bytes']), s)
    open('$d/fit.soc', 'w').write(s)" || return 1
    done
    ./tilewright run -q zoo/dscnn-int/network.onnx -t $d/fit.soc
}
two_nets() {
    cat >$d/two.c <<'X'
#include "a/int.h"
#include "b/other.h"
#include <string.h>
static void fill(void *p, int n, int k)
{
    int i;
    for (i = 0; i < n; i++)
        ((char *)p)[i] = (char)(i * k);
}
/* Two instances of one network, layer by layer in turns, and another network
 * between them: nobody's result depends on the others. */
int main(void)
{
    struct int_net n[2];
    struct other o;
    struct int_net_memory m[2];
    struct other_memory mo;
    static unsigned char room[3][100000] __attribute__((aligned(64)));
    static char alone[INT_NET_OUTPUT_0_BYTES];
    int i, j;
    for (i = 0; i < 2; i++) {
        m[i].ram = room[i];
        if (int_net_init(&n[i], m[i]))
            return 1;
        fill(int_net_input(&n[i], 0), INT_NET_INPUT_0_BYTES, i + 3);
    }
    mo.ram = room[2];
    if (other_init(&o, mo))
        return 2;
    int_net_run(&n[0]);
    memcpy(alone, int_net_output(&n[0], 0), INT_NET_OUTPUT_0_BYTES);
    fill(int_net_input(&n[0], 0), INT_NET_INPUT_0_BYTES, 3);
    for (j = 1; j <= INT_NET_LAYERS; j++) {
        int_net_step(&n[0], j);
        int_net_step(&n[1], j);
        if (other_selftest(&o))
            return 3;
    }
    if (memcmp(alone, int_net_output(&n[0], 0), INT_NET_OUTPUT_0_BYTES))
        return 4;
    if (!memcmp(alone, int_net_output(&n[1], 0), INT_NET_OUTPUT_0_BYTES))
        return 5;
    m[0].ram = (char *)m[0].ram + 1;
    return int_net_init(&n[0], m[0]) == 1 ? 0 : 6;
}
X
    sed 's|a/int.h|a/int_net.h|' $d/two.c >$d/both.c
    # shellcheck disable=SC2086
    cc $strict -I$d -o $d/both $d/both.c $d/a/int_net*.c $d/a/kern/*.c \
        $d/b/other*.c $d/b/kern/*.c -lm && $d/both && own_names
}
# Names of ours begin with the network's, of functions and of the header's
# macros; a program may have all others, as functions or as macros of its own.
own_names() {
    echo '#include "a/int_net.h"' | cc -I$d -E -dM - >$d/macros
    echo '#include <stdint.h>' | cc -E -dM - | sort >$d/macros.c
    sort $d/macros | comm -23 - $d/macros.c | grep -v '^#define INT_NET_' &&
        return 1
    rm -rf $d/own
    mkdir -p $d/own/a $d/own/b
    (cd $d/own/a && cc -c ../../a/int_net*.c ../../a/kern/*.c) &&
        (cd $d/own/b && cc -c ../../b/other*.c ../../b/kern/*.c) || return 1
    for f in $d/own/a/*.o; do
        nm -g --defined-only "$f" | grep -v ' int_net_' && return 1
    done
    cat >$d/user.c <<'X'
#define io mine
#define clip mine
#define LAYER mine
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#include "a/int_net.h"
#include "b/other.h"
#undef io
#undef clip
int clip, span, finish, narrow, share_of, window_span, io, layer_1, dims_1;
int conv, matmul, gemm, pool, map, init, run, input, output, weights, kern;
int step, result, selftest, memory, ram;
X
    # shellcheck disable=SC2086
    cc $strict -I$d -o $d/both $d/both.c $d/user.c $d/own/a/*.o \
        $d/own/b/*.o -lm && $d/both
}
for t in $(printf '%s\n' host cortex-m4 cortex-m7 cortex-m55 gap8 rv32imc \
    siracusa | each); do
    check "rounding twice on $t" $d/gen test/gen/round.nn $t $d/round.$t n plan
done
for net in int float; do
    targets='host cortex-m4 cortex-m7 cortex-m55 rv32imc'
    whole || targets='host cortex-m4 cortex-m7'
    [ $net = int ] || targets='host cortex-m55 rv32imc'
    [ $net = int ] || whole || targets='host rv32imc'
    for t in $targets; do
        check "$net on $t" $d/gen test/gen/$net.nn $t $d/$net.$t n
        cp $d/said $d/$net.$t.said
        case $net.$t in
        int.cortex-m4 | int.cortex-m55 | float.host | float.rv32imc)
            check "self-test of $net on $t" selftest $d/$net.$t ;;
        esac
    done
    [ $net = int ] || whole || continue
    cc=gcc
    [ $net = int ] || cc=clang
    check "$net strict $cc" selftest $d/$net.host CC=$cc CFLAGS="$strict"
    check "$net, weights as a file" \
        $d/gen test/gen/$net.nn cortex-m7 $d/$net.bin n bin
    check "self-test with a file" selftest $d/$net.bin
    check "$net, layers dumped" \
        $d/gen test/gen/$net.nn cortex-m4 $d/$net.dump n dump
    check "the dump has all layers" python3 -c "
import zipfile
n = len(zipfile.ZipFile('$d/$net.dump/layers.npz').namelist())
assert n == {'int': 6, 'float': 7}['$net'], n"
    # The first four bytes of a weight: the self-test names the layer.
    check "weights changed" python3 -c "
import re
p = '$d/$net.host/n_weights.c'
s = open(p).read()
s, n = re.subn(r'(_w1_w.*\n *\")(\\\\[0-7]+|.){4}', r'\1\\\\1zzz', s)
assert n == 1
open(p, 'w').write(s)"
    check "self-test finds it" sh -c "make -s -B -C $d/$net.host run |
        grep -q 'differs: 0x00000001'"
done
check "constants far away" $d/gen test/gen/int.nn gap8 $d/far n far
check "their file" python3 -c "
import re
w = re.search(r'w = const : s8.*?\{(.*?)\}', open('test/gen/int.nn').read())
data = bytes(int(v) & 255 for v in w[1].split(','))
assert open('$d/far/n_l3.bin', 'rb').read() == bytes(64) + data"
check "self-test with them" env PATH="$PWD:$PATH" make -s -B -C $d/far run
warn='-Wall -Wextra -Wshadow -Werror'
check "no warnings on a cluster" make -s -B -C $d/far \
    CC="riscv64-unknown-elf-gcc $warn"
! whole || check "no warnings on a Cortex-M" make -s -B -C $d/int.cortex-m7 \
    CC="arm-none-eabi-gcc $warn"
check "no blanks at ends of lines" not grep -n ' $' $d/*.host/*.[ch] \
    $d/far/*.[ch]
check "without their file" sh -c "rm $d/far/n_l3.bin
    PATH=$PWD:$PATH make -s -C $d/far run | grep 'n: no constants'"
printf '%s\n' 'include gap8' 'chip away about="little memory"' \
    'memory L1 size=20K' >$d/away.soc
check "an output away from L2" env L2=16600 $d/gen test/gen/away.nn \
    $d/away.soc $d/away n plan
check "it is" grep -q 'layers   4 to   4  y s32' $d/away/n.c
check "its self-test" env PATH="$PWD:$PATH" sh -c "
    make -s -B -C $d/away host | grep 'self-test passed'"
for t in $(printf '%s\n' cortex-m4 host | each); do
    check "odd outputs on $t" $d/gen test/gen/edge.nn $t $d/edge.$t n plan
    check "self-test of odd outputs on $t" selftest $d/edge.$t
done
grep -q ': -1' $d/int.cortex-m4.said && check "instructions counted" false
check "one network" $d/gen test/gen/int.nn host $d/a int_net only
check "another" $d/gen test/gen/float.nn host $d/b other only
check "in one program" two_nets
check "C++ reads the header" c++ -Wall -Wextra -Wpedantic -Werror -x c++ \
    -fsyntax-only $d/a/int_net.h
check "refuses what is there" not $d/gen test/gen/int.nn host $d/a x only
check "leaves it alone" test ! -e $d/a/x.h
check "overwrites with force" $d/gen test/gen/int.nn host $d/a x only,force
check "has done so" test -e $d/a/x.h -a -e $d/a/int_net.h
check "a place that cannot be" not $d/gen test/gen/int.nn host /proc/no/x x
touch $d/file
check "a file in its place" not $d/gen test/gen/int.nn host $d/file x only
check "nothing half-written" test -z "$(ls -d $d/*.?????? 2>/dev/null |
    grep -E '\.[A-Za-z0-9]{6}$' | grep -vE '/(int|float)\.' )"
check "no compiler" sh -c "sed s/cc=cc/cc=no-such-cc/ soc/host.soc >$d/no.soc
    $d/gen test/gen/int.nn $d/no.soc $d/c n |
    grep '^status 5: no-such-cc is not installed'"
check "too big for the flash" sh -c "sed s/size=2M/size=8K/ soc/cortex-m4.soc \
    >$d/small.soc; $d/gen test/gen/int.nn $d/small.soc $d/e n |
    grep '^status 3: FLASH lacks [0-9]* bytes'"
check "what is missing is enough on cortex-m4" fits cortex-m4
whole && check "what is missing is enough on rv32imc" fits rv32imc
check "linked for the part itself" sh -c "
    make -s -B -C $d/int.cortex-m7 SCRIPT=n.ld &&
    readelf -lW $d/int.cortex-m7/build/n.elf | grep -q '0x08000000 0x08000000'"
printf '%s\n' 'include cortex-m4' 'chip ours about="a board of ours"' \
    'reserve mine memory=RAM size=600K' >$d/ours.soc
check "a chip of one's own" $d/gen test/gen/int.nn $d/ours.soc $d/i n plan
check "what is reserved is left alone" grep -q 'RAM.*LENGTH = 40960$' \
    $d/i/n_emu.ld
check "a guest that faults" sh -c "
    sed s/emu_base=0x2/emu_base=0x9/ soc/cortex-m4.soc >$d/bad.soc
    $d/gen test/gen/int.nn $d/bad.soc $d/j n | grep -A1 '^status 5' |
    grep Lockup"
printf '%s\n' 'graph "same"' 'x = input : f32[1,8]' 'a = sigmoid x : f32[1,8]' \
    'b = sigmoid a : f32[1,8]' 'c = abs b : f32[1,8]' 'output c' >$d/same.nn
check "layers of the same dims share them" sh -c "
    $d/gen $d/same.nn cortex-m4 $d/same n plan && grep -c ' dims_[0-9]* = ' \
    $d/same/n.c | grep -qx 1 && grep -c '&dims_1, ' $d/same/n.c | grep -qx 3"
printf '%s\n' 'graph "thrice"' 'x = input : f32[8,8]' 'w = const : f32[8] {1,2,3,4,5,6,7,8}' \
    'a = rmsnorm x w axis=1 eps=0.5' 'b = tanh a' \
    'c = rmsnorm b w axis=1 eps=0.5' 'e = sin c' \
    'f = rmsnorm e w axis=1 eps=0.5' 'output f' >$d/thrice.nn
check "layers that call alike share the call" sh -c "
    $d/gen $d/thrice.nn cortex-m4 $d/thrice n && grep -c '&dims_1, &io' \
    $d/thrice/n.c | grep -qx 1 && grep -c ' call_1(net' $d/thrice/n.c |
    grep -qx 3"
mobile=zoo/mobilenetv1-0.25-128-int
check "dims of many layers are rows" sh -c "
    ./tilewright compile $mobile/network.onnx -n n -t cortex-m4 -q -o $d/rows &&
    grep -c 'conv_dims_of(&dims, dims_[0-9]*);' $d/rows/n.c | grep -qx 19 &&
    grep -c ' dims_[0-9]*\[\] = ' $d/rows/n.c | grep -qx 19 &&
    ./tilewright run $mobile/network.onnx -t cortex-m4 -i $mobile/inputs.npz \
        -e $mobile/outputs.npz -q"
check "runner of one's own" env RUNNER="env {elf}" \
    $d/gen test/gen/int.nn host $d/f n
check "a runner that fails" sh -c "RUNNER='echo {elf}; exit 9' \
    $d/gen test/gen/int.nn host $d/g n | grep 'ended with status 9'"
check "a runner that does nothing" sh -c "RUNNER='true {elf}' \
    $d/gen test/gen/int.nn host $d/f n force | grep 'wrote no results'"
check "a runner that hangs" sh -c "RUNNER='sleep 1000 #' TIMEOUT=1 \
    $d/gen test/gen/int.nn host $d/h n | grep 'did not end in 1 s'"
echo "$passed passed, $failed failed: projects on five targets"
[ $failed = 0 ]
