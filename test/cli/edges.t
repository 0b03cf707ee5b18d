#!/bin/sh
# Networks at the edges of what is legal, and some of the zoo: refused or done,
# without harm, which `make check-sanitize` sees.  sanitize.long: all of them.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
make -s build/test/eval || exit 1
n=0 bad=0

# want STATUS ARGS...
want() {
    status=$1
    shift
    n=$((n + 1))
    ./tilewright "$@" -q >"$tmp/said" 2>&1
    got=$?
    [ $got = "$status" ] && return
    echo "tilewright $*: exit $got, wanted $status"
    head -20 "$tmp/said"
    bad=$((bad + 1))
}

for net in scalar_far2 fold_slow expand_bomb; do
    want 3 report test/front/edges/$net.onnx -t gap8
done
want 0 compile test/front/edges/slice_huge.onnx -t gap8 -o "$tmp/slice"
for chip in cortex-m4 siracusa; do
    want 0 compile zoo/resnet8-int/network.onnx -t $chip -o "$tmp/$chip"
done
want 0 compile zoo/transformer-f32/network.onnx -t gap8 -o "$tmp/gap8"
if python3 -c 'import onnxruntime' 2>"$tmp/said"; then
    tools/edges.py build/test/eval -e $((5 * PART)) gap8 || bad=$((bad + 1))
else
    echo "no onnxruntime: networks at the edges are skipped"
fi
echo "$n networks at the edges, $bad wrong"
[ $bad = 0 ]
