#!/bin/sh
# Random layers on a chip with an accelerator, of all kinds, sizes and widths of
# weights, bit for bit as on the host: neureka.t [SEED [LAYERS [OPTIONS]]], on
# Siracusa, or another CHIP with another ENGINE, whose inputs have TYPES.  QUICK:
# jobs are not emulated too.  Layers may be of KINDS alone, and one has to be by
# KERNEL.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
seed=${1:-${SEED:-$(date +%s)}}
n=${2:-$(part 12 4)}
[ $# -gt 2 ] && shift 2 || set --
chip=${CHIP:-siracusa} engine=${ENGINE:-neureka}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "seed $seed: $*"
    exit 1
}
python3 test/gen/neureka.py "$seed" "$n" ${TYPES:-s8 u8} >"$dir/net.txt" || exit 1
python3 - "$seed" "$dir" <<'END' || exit 1
import re
import sys
import numpy as np
rng = np.random.default_rng(int(sys.argv[1]))
ins = {}
for name, kind, shape in re.findall(
        r'^(x\d+) = input : ([su])8\[([\d,]*)\]', open(sys.argv[2] + '/net.txt').read(), re.M):
    lo, hi = (-128, 128) if kind == 's' else (0, 256)
    ins[name] = rng.integers(lo, hi, [int(d) for d in shape.split(',')])
np.savez(sys.argv[2] + '/in.npz', **ins)
END
./tilewright run -n network "$dir/net.txt" -t host -q -i "$dir/in.npz" \
    -o "$dir/host.npz" || fail "host"
./tilewright run -n network "$dir/net.txt" -t "$chip" -q -i "$dir/in.npz" \
    -e "$dir/host.npz" --json "$dir/j" "$@" || fail "$chip differs"
grep -q "\"engine\": \"$engine\"" "$dir/j" || fail "nothing went to $engine"
[ ! "$KERNEL" ] || grep -q "\"kernel\": \"$KERNEL\"" "$dir/j" ||
    fail "nothing is by $KERNEL"
[ "$QUICK" ] ||
    ./tilewright run -n network "$dir/net.txt" -t "$chip" -q \
        -i "$dir/in.npz" --emulate \
    -e "$dir/host.npz" "$@" || fail "emulated jobs differ"
[ "$QUICK" ] ||
    ./tilewright run -n network "$dir/net.txt" -t "$chip" -q \
        -i "$dir/in.npz" --emulate \
    -e "$dir/host.npz" --objective memory "$@" ||
    fail "emulated jobs of the plan for least memory differ"
echo "$(grep -c "\"engine\": \"$engine\"" "$dir/j") layers by $engine, $n drawn"
