#!/bin/sh
# Inputs and outputs in external memory: the C that is generated for them, on
# the emulated team and a stub of PMSIS (on chips mostly in tiles.t).
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# Of sources that are gone, objects may still lie there.
objects=$(find src -name "*.c" ! -path "*/cli/*" ! -path "*/plugin/*" |
    sed 's|.*|build/&|; s|c$|o|'; find build/eval -name "*.o")
# shellcheck disable=SC2086
${HOSTCC:-cc} -std=c11 -D_GNU_SOURCE -g -Wall -Wextra -Isrc -I. -o "$dir/gen" test/gen/gen.c \
    $objects build/*.o -lprotobuf-c -lzip -lelf -lm || exit 1
fail() {
    echo "$*"
    exit 1
}
gen() { # HOW
    rm -rf "$dir/p"
    L1=5000 L2=${L2:-2000} "$dir/gen" test/plan/tiles/readers.nn siracusa \
        "$dir/p" net "plan,$1" >"$dir/said" || fail "$1: $(cat "$dir/said")"
}
ends() { # COUNT
    [ "$(grep -c '#define NET_.*PUT_._FAR' "$dir/p/net.h")" = "$1" ] ||
        fail "not $1 inputs and outputs in external memory"
}
selftest() {
    make -s -C "$dir/p" host >"$dir/said" 2>&1
    grep -q "$1" "$dir/said" || fail "not: $1: $(tail -n 3 "$dir/said")"
}

L2=400000 gen only
ends 0
gen emulate,dump
ends 4
python3 - "$dir/p/layers.npz" <<'END' || fail "outputs are not dumped"
import sys, zipfile
names = zipfile.ZipFile(sys.argv[1]).namelist()
sys.exit(not all(n + '.npy' in names for n in 'cde'))
END

# The self-test, of an example that is stored, and drawn; and with a multiplier
# that was changed.
for how in $(printf '%s\n' only,drawn only | each); do
    gen $how
    selftest 'self-test passed'
done
sed -i 's/    3\([,;]\)/    5\1/; s/= {3}/= {5}/' "$dir/p/net_weights.c"
sed -i 's/^    3,$/    5,/' "$dir/p/net.c"
selftest 'first layer that differs'

# Pieces of any size, and none beyond the end.
gen only
cat >"$dir/p/main.c" <<'END'
#include "net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct net net;
static _Alignas(64) unsigned char l1[NET_L1_BYTES], l2[NET_L2_BYTES];
static const int in_bytes[] = {NET_INPUT_0_BYTES, NET_INPUT_1_BYTES};
static const int out_bytes[] = {NET_OUTPUT_0_BYTES, NET_OUTPUT_1_BYTES,
                                NET_OUTPUT_2_BYTES};
static unsigned char image[100000], made[2][100000];

static int in_pieces(int step, unsigned char *to)
{
    int i, at, n, bad = 0;

    for (i = 0; i < NET_INPUTS; i++)
        for (at = 0; at < in_bytes[i]; at += n) {
            n = step < in_bytes[i] - at ? step : in_bytes[i] - at;
            bad |= net_write_input(&net, i, at, n, image + 100 * i + at);
        }
    net_run(&net);
    for (i = 0; i < NET_OUTPUTS; to += out_bytes[i++])
        for (at = 0; at < out_bytes[i]; at += n) {
            n = step < out_bytes[i] - at ? step : out_bytes[i] - at;
            bad |= net_read_output(&net, i, at, n, to + at);
        }
    return bad;
}

int main(void)
{
    struct net_memory memory = {.l1 = l1, .l2 = l2};
    int i;

    for (i = 0; i < (int)sizeof image; i++)
        image[i] = (unsigned char)rand();
    if (net_init(&net, memory) || in_pieces(1 << 30, made[0]) ||
        in_pieces(37, made[1]))
        return 1;
    for (i = 0; i < NET_INPUTS; i++)
        if (net_input(&net, i) ||
            !net_write_input(&net, i, in_bytes[i] - 1, 2, image) ||
            !net_write_input(&net, i, -1, 1, image) ||
            !net_write_input(&net, i, 0, -1, image) ||
            !net_write_input(&net, i, INT32_MAX, INT32_MAX, image) ||
            net_write_input(&net, i, in_bytes[i], 0, image))
            return 2;
    for (i = 0; i < NET_OUTPUTS; i++)
        if (!net_output(&net, i) != (i > 0) ||
            !net_read_output(&net, i, 1, out_bytes[i], made[0]))
            return 3;
    if (!net_write_input(&net, NET_INPUTS, 0, 0, image) ||
        !net_read_output(&net, -1, 0, 0, image))
        return 4;
    if (!memcmp(made[0], made[0] + 1, 1000) ||
        memcmp(made[0], made[1], sizeof made[0]))
        return 5;
    puts("pieces are right");
    return 0;
}
END
selftest 'pieces are right'

# PMSIS.
for how in $(printf '%s\n' pmsis,only pmsis,drawn,only | each); do
    gen $how
    ends 4
    (cd "$dir/p" && cc -std=gnu99 -g -Wall -Wextra -Wshadow -Werror \
        -fsanitize=address,undefined -fno-sanitize-recover -I. \
        -I"$OLDPWD/test/gen/pmsis" -o run "$OLDPWD/test/gen/pmsis/stub.c" \
        $(sed -n '/^APP_SRCS/,/[^\\]$/p' Makefile | tr -d '\\' |
            sed 's/APP_SRCS =//') -lm && ./run | grep -q 'self-test passed') ||
        fail "$how fails"
done

if whole; then
    # A network whose example is large has one that is drawn.
    net=zoo/mobilenetv1-0.25-128-int
    drawn() { # COUNT
        ends 1
        [ "$(grep -c 'draw(&state)' "$dir/p/net_selftest.c")" = "$1" ] ||
            fail "the wrong example"
    }
    printf '%s\n' 'include gap8' 'chip less about="less L2"' \
        'memory L2 size=224K' >"$dir/less.soc"
    rm -rf "$dir/p"
    ./tilewright compile $net/network.onnx -q -n net -t "$dir/less.soc" \
        -i $net/inputs.npz -o "$dir/p" --l2 20000 || exit 1
    drawn 1

    # On a chip, whose L2 is full; what the program takes of it is found by linking.
    if command -v riscv64-unknown-elf-gcc >/dev/null; then
        rm -rf "$dir/p"
        ./tilewright run $net/network.onnx -t gap8 --l2 20000 -q -n net \
            -i $net/inputs.npz -e $net/outputs.npz --keep "$dir/p" || exit 1
        drawn 0
    fi
fi
echo "inputs and outputs in external memory: all right"
