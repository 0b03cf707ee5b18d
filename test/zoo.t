#!/bin/sh
# The networks of zoo/: the compiler's evaluator gives the outputs that came
# with them, and their plans for every emulated chip are sound.
cd "$(dirname "$0")/.." || exit 1
make -s build/test/eval || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
for d in zoo/*/; do
    echo "${d}network.onnx ${d}inputs.npz $tmp/o.npz ${d}outputs.npz"
done >"$tmp/cases"
for chip in cortex-m4 cortex-m7 cortex-m55 rv32imc; do
    build/test/eval -v -t $chip <"$tmp/cases" | sed "s/^/$chip /"
done >"$tmp/said"
grep -v ' ok$' "$tmp/said"
ok=$(grep -c ' ok$' "$tmp/said")
all=$((4 * $(wc -l <"$tmp/cases")))
echo "$ok of $all networks and chips as expected"
[ "$ok" = $all ]
