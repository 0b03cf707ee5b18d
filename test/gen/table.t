#!/bin/sh
# A table that no memory of the cores holds stays in external memory, and its
# rows are read from there: on the simulator and on the emulated team the results
# are the host's, of negative indices too.  table.t [SEED]
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
command -v riscv64-unknown-elf-gcc >/dev/null ||
    { echo "no riscv64-unknown-elf-gcc: not run"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
seed=${1:-${SEED:-$(date +%s)}}
awk -v seed="$seed" 'BEGIN {
    srand(seed)
    print "graph \"table\"\ni = input : s32[5] range -600 599"
    print "j = input : s32[3] range 0 99"
    printf "t = const : s8[600,20] {"
    for (k = 0; k < 12000; k++)
        printf "%s%d", k ? "," : "", int(256 * rand()) - 128
    printf "}\nu = const : s16[2,100,30] {"
    for (k = 0; k < 6000; k++)
        printf "%s%d", k ? "," : "", int(60000 * rand()) - 30000
    print "}\na = gather t i axis=0\nb = add a a lo=-128 hi=127\nc = gather u j axis=1"
    print "d = add c c lo=-32768 hi=32767\noutput b\noutput d"
}' >"$tmp/table.nn"
runs=0
run() { # ARGUMENT...
    ./tilewright run -n network "$tmp/table.nn" -q \
        -i "$tmp/in.npz" "$@" >"$tmp/said" 2>&1 ||
        { echo "seed $seed: $*:"; cat "$tmp/said"; exit 1; }
    runs=$((runs + 1))
}
python3 -c "
import sys, numpy as np
r = np.random.default_rng(int(sys.argv[2]))
np.savez(sys.argv[1], r.integers(-600, 600, 5, np.int32),
         r.integers(0, 100, 3, np.int32))" "$tmp/in.npz" "$seed" || exit 1
run -t host -o "$tmp/out.npz"
for t in $(printf '%s\n' siracusa gap8 gap9 | each); do
    run -t $t -e "$tmp/out.npz" --l2 9000 --json "$tmp/json"
    [ "$(grep -c '"kernel": "gather_far_xpulp"' "$tmp/json")" = 2 ] ||
        { echo "$t: no tables in external memory"; exit 1; }
    run -t $t -e "$tmp/out.npz" --l2 9000 --emulate
done
run -t gap8 -e "$tmp/out.npz" --json "$tmp/json" # room for all
! grep -q gather_far "$tmp/json" || { echo "a table is left far away"; exit 1; }

# A matrix too large to be packed for an accelerator is left to the cores.
awk 'BEGIN {
    print "graph \"wide\"\nx = input : s8[1,8]"
    printf "w = const : s8[550000,8] {"
    for (k = 0; k < 4400000; k++)
        printf "%s%d", k ? "," : "", k % 251 - 125
    print "}\nm = const : s32[1] {1}\na = const : s32[1] {4}"
    print "y = matmul x w _ m a transb=1 shift=3 lo=-128 hi=127\noutput y"
}' >"$tmp/wide.nn"
./tilewright report "$tmp/wide.nn" -t siracusa -q >"$tmp/said" 2>&1 ||
    { cat "$tmp/said"; exit 1; }
echo "$runs runs, tables in external memory or not, seed $seed"
