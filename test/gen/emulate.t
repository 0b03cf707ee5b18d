#!/bin/sh
# Tiled plans on the emulated team: transfers arrive as late as they may and
# destroy at once what they will overwrite, so a wait that is left out of a
# program changes its results, and so does a meeting of the cores.  With ALL=1
# (emulate.long) larger networks, too.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
runs=0 mutants=0 alive=0
run() { # NET TARGET OPTIONS
    net=$1 target=$2
    shift 2
    ./tilewright run "zoo/$net/network.onnx" -t "$target" -q --emulate \
        -i "zoo/$net/inputs.npz" -e "zoo/$net/outputs.npz" "$@" || exit 1
    runs=$((runs + 1))
}

printf '%s\n' 'include gap8' 'chip small about="little L2"' \
    'memory L2 size=32K' >"$dir/small.soc"
! whole || run transformer-int siracusa --l1 6K
run autoencoder-int "$dir/small.soc" --l2 8K --keep "$dir/far"
grep -q RT_IO "$dir/far/network.c" || exit 1
[ -z "$ALL" ] || run dscnn-int gap8 --cores 1 --l1 24K
./tilewright run zoo/dscnn-int/network.onnx -t cortex-m4 -q --emulate \
    2>/dev/null
[ $? = 2 ] || exit 1
[ -z "$ALL" ] || run mobilenetv1-0.25-128-int gap8 --l2 50000
! whole || run dscnn-int gap8 --l1 5K --l2 3000 --keep "$dir/away"
! whole || grep -q 'MOVE([0-9]*, RT_IO,' "$dir/away/network.c" ||
    { echo "nothing to external memory?"; exit 1; }
# Loops where the same comes again, unless they are not wanted.
run resnet8-int gap8 --l1 12K --keep "$dir/rolled"
! whole || run resnet8-int gap8 --l1 12K --straight --keep "$dir/straight"
grep -q 'LOOP(' "$dir/rolled/network.c" &&
    ! { whole && grep -q 'LOOP(' "$dir/straight/network.c"; } ||
    { echo "--straight: where are the loops?"; exit 1; }
run autoencoder-int gap8 --l1 3K --keep "$dir/p" --dump "$dir/dump"
[ -s "$dir/dump/layers.npz" ] || exit 1
# Layers of which a part is still on its way are dumped when they are complete.
./tilewright run test/gen/parts.nn -t host -q --dump "$dir/host" || exit 1
./tilewright run test/gen/parts.nn -t siracusa --l1 20K -q --emulate \
    --dump "$dir/siracusa" || exit 1
python3 - "$dir" <<'END' || exit 1
import sys
import numpy as np
host, chip = (np.load('%s/%s/layers.npz' % (sys.argv[1], to))
              for to in ('host', 'siracusa'))
missing = {'j', 'c', 's'} - set(chip.files)
differ = [k for k in chip.files if (chip[k] != host[k]).any()]
sys.exit('dump: %s missing, %s differ' % (missing, differ)
         if missing or differ else 0)
END
make -s -C "$dir/p" host | grep -q 'self-test passed' || exit 1

# Jobs of an accelerator do their work when they are waited for; on the chip the
# toy does it at once.
toy() { # ARGUMENTS
    run resnet8-int test/verify/toy/toy.soc --kernels test/verify/toy "$@"
}
toy --l1 12K --keep "$dir/toy"
! whole || toy --l1 12K --keep "$dir/cores" --no-engine toy
whole && grep -q 'START(' "$dir/cores/network.c" &&
    { echo "--no-engine: the toy works"; exit 1; }
! whole || ./tilewright run zoo/resnet8-int/network.onnx -q \
    -t test/verify/toy/toy.soc \
    --kernels test/verify/toy -i zoo/resnet8-int/inputs.npz \
    -e zoo/resnet8-int/outputs.npz || exit 1

# The project in a folder without a line, one after the other.
b=build/run
without() { # FOLDER LINE...
    p=$1
    shift
    cp "$p/network.c" "$dir/whole.c"
    cp "$p/$b/out.bin" "$dir/right.bin" || exit 1
    for line in "$@"; do
        sed "${line}d" "$dir/whole.c" >"$p/network.c"
        mutants=$((mutants + 1))
        rm -f "$p/$b/out.bin"
        make -s -C "$p" BUILD=$b MAIN="$b/harness.c $b/run.c" \
            DEFS='-Irt -Irt/host' $b/host/network || exit 1
        (cd "$p/$b" && ./host/network >/dev/null 2>&1)
        if cmp -s "$p/$b/out.bin" "$dir/right.bin"; then
            alive=$((alive + 1))
            echo "nothing changes without line $line: $(sed -n "${line}p" \
                "$dir/whole.c")"
        fi
    done
}
# Each wait right before a kernel, and some meetings.
without "$dir/p" $(awk '/^ *WAIT/ {n = NR} /^ *CALL/ && n == NR - 1 {print n}' \
        "$dir/p/network.c" | head -n "${1:-$(part 5)}") \
        $(grep -n '^ *BARRIER' "$dir/p/network.c" | cut -d: -f1 | sed -n 2,3p | each)
# Waits for jobs.
slot=$(sed -n 's/#define RT_JOB_SLOT //p' "$dir/toy/network.c")
jobs=$(grep -n "^ *WAIT($slot)" "$dir/toy/network.c" | cut -d: -f1 |
    sed -n '1p;4p;9p' | each)
[ -n "$jobs" ] || { echo "no jobs"; exit 1; }
without "$dir/toy" $jobs
[ $mutants -gt 0 ] || echo "no waits: is anything tiled?"
echo "$runs networks match on the emulated team; of $mutants waits and" \
    "meetings that were left out $alive were not noticed"
[ $mutants -gt 0 ] && [ $alive = 0 ]
