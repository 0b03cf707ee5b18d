#!/bin/sh
# The networks of zoo/: the compiler's evaluator gives the outputs that came
# with them, and their plans for every emulated chip are sound, or refused: the
# floats of tr-f32 take 8 KB more than rv32imc has.  Without Python's packages
# `make zoo` says which, and what installs them.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/eval || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
for d in zoo/*/; do
    [ -f "${d}options" ] && continue # sequences: test/gen/sequence.t
    [ -f "${d}network.onnx" ] || continue # stories: test/ptq/static.t
    echo "${d}network.onnx ${d}inputs.npz $tmp/o.npz ${d}outputs.npz"
done >"$tmp/cases"
for chip in cortex-m4 cortex-m7 cortex-m55 rv32imc; do
    build/test/eval -v -t $chip <"$tmp/cases" | sed "s/^/$chip /"
done >"$tmp/said"
small='^rv32imc zoo/tr-f32/.* refused .*: 8192 bytes are missing'
grep -v -e ' ok$' -e "$small" "$tmp/said"
ok=$(grep -c -e ' ok$' -e "$small" "$tmp/said")
all=$((4 * $(wc -l <"$tmp/cases")))
grep -q "$small" "$tmp/said" || ok="$ok, none too large,"
echo "$ok of $all networks and chips as expected"
printf '#!/bin/sh\nexec %s -S "$@"\n' "$(command -v python3)" >"$tmp/python3"
chmod +x "$tmp/python3" # has no packages
PATH=$tmp:$PATH make -B zoo >"$tmp/out" 2>"$tmp/err" && echo "zoo is made" &&
    all=-1
if grep -q Traceback "$tmp/err" || ! grep -q \
    'lacks numpy, onnx; .*: .*tools/deps-python' "$tmp/err"; then
    cat "$tmp/err"
    all=-1
fi
[ "$ok" = $all ]
