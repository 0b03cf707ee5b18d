#!/bin/sh
# A cache that grows, from C: the number of rows is set before each run and
# checked; a cache that is saved goes on elsewhere; what --dim and --at refuse.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
dir=zoo/attention-int-cache net=zoo/attention-int-cache/network.onnx
states=$(grep -o -- '--state [^ ]*' $dir/options)
# shellcheck disable=SC2086
./tilewright compile $net -t host -n att -o "$tmp/att" -q --dim past=0..31 \
    $states || exit 1
cat >"$tmp/main.c" <<'END'
#include "att.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 32, HALF = 11 };

static signed char out[2][STEPS][ATT_OUTPUT_0_BYTES];
static unsigned char saved[ATT_STATE_BYTES];

static void step(struct att *net, int i, int row)
{
    signed char *x = att_input(net, 0);
    int k;

    for (k = 0; k < ATT_INPUT_0_BYTES; k++)
        x[k] = (signed char)(i * 37 + k * 11);
    if (att_set_past(net, i))
        exit(1);
    att_run(net);
    memcpy(out[row][i], att_output(net, 0), sizeof out[row][i]);
}

static void begin(struct att *net)
{
    static struct att_memory memory;

    memory.ram = aligned_alloc(64, (ATT_RAM_BYTES + 63) / 64 * 64);
    if (att_init(net, memory))
        exit(2);
}

int main(void)
{
    struct att one, other;
    int i;

    begin(&one);
    begin(&other);
    for (i = 0; i < STEPS; i++) {
        if (i == HALF)
            att_save_state(&one, saved);
        step(&one, i, 0);
    }
    att_load_state(&other, saved);
    for (i = HALF; i < STEPS; i++)
        step(&other, i, 1);
    if (memcmp(out[0][HALF], out[1][HALF], sizeof out[0] - sizeof out[0][0] *
               HALF))
        return 3;
    if (ATT_PAST_LEAST != 0 || ATT_PAST_MOST != 31 ||
        !att_set_past(&one, 32) || !att_set_past(&one, -1))
        return 4;
    step(&one, STEPS - 1, 1); /* what was refused has changed nothing */
    att_reset(&one);
    step(&one, 0, 1);
    if (memcmp(out[0][0], out[1][0], sizeof out[0][0]))
        return 5;
    fwrite(out[0], 1, sizeof out[0], stdout);
    return 0;
}
END
(cd "$tmp/att" && cc -std=c11 -O1 -o ../main ../main.c att.c att_weights.c \
    kern/*.c -I. -lm) || exit 1
"$tmp/main" >"$tmp/out" || { echo "the program ended with $?"; exit 1; }
[ "$(od -An -tu1 -v "$tmp/out" | tr -s ' ' '\n' | sort -u | wc -l)" -gt 40 ] ||
    { echo "the outputs say little"; exit 1; }

refused=0
refuse() { # STATUS MESSAGE OPTION...
    want=$1 what=$2
    shift 2
    # shellcheck disable=SC2086
    ./tilewright run $net -t host -q $states "$@" >"$tmp/said" 2>&1
    is=$?
    if [ $is != "$want" ] || ! grep -q -- "$what" "$tmp/said"; then
        echo "$*: ended with $is:"
        cat "$tmp/said"
        exit 1
    fi
    refused=$((refused + 1))
}
refuse 2 'past would be 40, beyond its 0..31' --dim past=0..31 --at past=40
refuse 2 'no run-time number of that name' --dim past=0..31 --at n=4
refuse 2 'wanted NAME=LEAST..MOST' --dim past=9..3
refuse 2 'wanted NAME=VALUE' --dim past=0..31 --at past=x
refuse 1 'at most 16384 values' --dim past=0..99999
refuse 1 'they must be alike' --dim past=7
refuse 2 'run 33: past would be 32' --dim past=0..31 --at past=0+1 \
    --sequence -i $dir/inputs.npz
states=
refuse 2 'there are no run-time numbers' --dim past=3 --at past=3
# --context says all of that; files for any length and for one.
./tilewright run $net -t host -q --context 256 --sequence --at past=0+1 \
    -i $dir/inputs.npz -e $dir/outputs.npz || exit 1
models=${TILEWRIGHT_MODELS:-../shared/models}/deeploy-tests/networks
fixed=0
for n in 1 8; do
    m=$models/microLlama/INT8/microLlama$n
    [ -d "$m" ] || continue
    for t in host siracusa; do
        [ $t = host ] || command -v riscv64-unknown-elf-gcc >/dev/null ||
            continue
        ./tilewright run "$m/network.onnx" -t $t -q --context $((n + 1)) \
            --at past=$n -i "$m/inputs.npz" -e "$m/outputs.npz" || exit 1
        fixed=$((fixed + 1))
    done
done
# The mask hides nothing, and the rotary table is known: no inputs.
m=$models/microLlama/INT8/microLlama8
if [ -d "$m" ]; then
    python3 - "$m/inputs.npz" "$tmp" <<'END' || exit 1
import sys
import numpy as np
x = dict(np.load(sys.argv[1]))
names = list(x)
np.savez(sys.argv[2] + '/in.npz',
         **{n: x[n] for n in names if n not in names[1:3]})
a = np.arange(9)[:, None] * [1, .01]
c, s, o = np.cos(a), np.sin(a), np.zeros(9)
rows = [c[:, 0], o, s[:, 0], o, o, c[:, 1], o, s[:, 1],
        -s[:, 0], o, c[:, 0], o, o, -s[:, 1], o, c[:, 1]]
np.save(sys.argv[2] + '/turns.npy', np.trunc(127 * np.stack(rows, 1)))
END
    ./tilewright run "$m/network.onnx" -t host -q --context 9 --at past=8 \
        --given x.9=0 --given "MatMul_2=$tmp/turns.npy" -i "$tmp/in.npz" \
        -e "$m/outputs.npz" || exit 1
    fixed=$((fixed + 1))
fi
echo "a cache of 32 rows, saved and gone on with; $fixed of fixed sizes, $refused refused"
