#!/bin/sh
# Networks with states, run after run: zoo's against the network unrolled over
# the whole sequence; reset, save and load in C; what --state refuses.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
runs=0
run() { # NET TARGET OPTIONS...
    ./tilewright run zoo/$1/network.onnx -t "$2" -i zoo/$1/inputs.npz \
        -e zoo/$1/outputs.npz $(cat zoo/$1/options) $3 $4 -q \
        >"$tmp/said" 2>&1 || { echo "$*:"; cat "$tmp/said"; exit 1; }
    runs=$((runs + 1))
}
for net in kws-int-state lstm-f32-state attention-int-cache; do
    run $net host
done
command -v arm-none-eabi-gcc >/dev/null && run kws-int-state cortex-m4
command -v riscv64-unknown-elf-gcc >/dev/null && {
    run kws-int-state siracusa --json "$tmp/json"
    # all counts are means of the runs
    python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
assert 0 < j["idle_cycles"] < j["cycles"], (j["idle_cycles"], j["cycles"])' \
        "$tmp/json" || exit 1
}
command -v riscv64-unknown-elf-gcc >/dev/null && {
    ! whole || run attention-int-cache gap8
    # weights come from the L3 while layers run
    run attention-int-cache gap8 --objective memory
}

# Saved and loaded states go on as they were; reset ones begin again.
net=zoo/kws-int-state/network.onnx
states=$(sed 's/--sequence//' zoo/kws-int-state/options)
./tilewright compile $net -t host -n kws -o "$tmp/kws" -q $states || exit 1
cat >"$tmp/main.c" <<'END'
#include "kws.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 40 };

static signed char out[4][STEPS][KWS_OUTPUT_0_BYTES];

static void go(const struct kws *net, int from, int to, int row)
{
    int i, k;

    for (i = from; i < to; i++) {
        signed char *x = kws_input(net, 0);

        for (k = 0; k < KWS_INPUT_0_BYTES; k++)
            x[k] = (signed char)(i * 37 + k * 11);
        kws_run(net);
        memcpy(out[row][i], kws_output(net, 0), sizeof out[row][i]);
    }
}

int main(void)
{
    static unsigned char state[KWS_STATE_BYTES];
    struct kws net;
    struct kws_memory m = {.ram = aligned_alloc(64, (KWS_RAM_BYTES + 63) /
                                                64 * 64)};

    memset(m.ram, 0xa5, KWS_RAM_BYTES);
    if (kws_init(&net, m))
        return 1;
    go(&net, 0, 20, 0);
    kws_save_state(&net, state);
    go(&net, 20, STEPS, 0);
    kws_load_state(&net, state);
    memcpy(out[1], out[0], sizeof out[0] / 2);
    go(&net, 20, STEPS, 1);
    go(&net, 0, STEPS, 3); /* from other states: elsewhere */
    kws_reset(&net);
    go(&net, 0, STEPS, 2);
    printf("%d %d %d\n", !memcmp(out[0], out[1], sizeof out[0]),
           !memcmp(out[0], out[2], sizeof out[0]),
           !memcmp(out[0], out[3], sizeof out[0]));
    return 0;
}
END
grep -q 'KWS_INPUT_1_STATE 1 ' "$tmp/kws/kws.h" || { echo "no STATE"; exit 1; }
cc -I"$tmp/kws" -o "$tmp/main" "$tmp/main.c" "$tmp"/kws/kws*.c \
    $(find "$tmp/kws" -name '*.c' -path '*kern*') -lm 2>"$tmp/said" ||
    { cat "$tmp/said"; exit 1; }
[ "$("$tmp/main")" = "1 1 0" ] ||
    { echo "save, load, reset: $("$tmp/main"), wanted 1 1 0"; exit 1; }

refused=0
refuse() { # STATUS PATTERN OPTION...
    want=$1 pattern=$2
    shift 2
    ./tilewright report $net -t host "$@" >"$tmp/said" 2>&1
    [ $? = "$want" ] && grep -q -- "$pattern" "$tmp/said" ||
        { echo "$*: wanted $want and '$pattern':"; cat "$tmp/said"; exit 1; }
    refused=$((refused + 1))
}
refuse 2 "no input 'nothing'" --state nothing=l0_new
refuse 2 "no output 'l0_old'" --state l0_old=l0_old
refuse 2 'wanted NAME=VALUE' --state l0_old
refuse 2 'in another --state' --state l0_old=l0_new --state l0_old=l1_new
refuse 1 'they must be alike' --state l0_old=l1_new
./tilewright run $net -t host $states --sequence >"$tmp/said" 2>&1
[ $? = 2 ] || { echo "--sequence without -i"; exit 1; }
echo "$runs sequences match, save, load and reset too;" \
    "$refused refused"
