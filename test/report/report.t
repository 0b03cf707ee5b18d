#!/bin/sh
# Reports agree with themselves: layers add up to totals, in JSON, text and the
# drawings; all keys are there; no bound is above its plan; the page is
# well-formed, its bars and buffers do not overlap; tables keep to 120 columns.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
make -s build/test/report || exit 1
d=build/test/reports
mkdir -p $d
bad=0 n=0
models=${TILEWRIGHT_MODELS:-../shared/models}/deeploy-tests
try() { # NETWORK TARGET [run]
    path=zoo/$1
    [ -d "$path" ] || path=$models/$1
    [ -d "$path" ] || return
    n=$((n + 1))
    build/test/report "$path/network.onnx" "$2" $d/r $3 &&
        python3 test/report/report.py $d/r soc/"$2".soc "$3" ||
        { echo "$path on $2 $3"; bad=$((bad + 1)); }
}
for t in gap8 siracusa; do
    for net in $(printf '%s\n' resnet8-int transformer-int \
        mobilenetv1-0.25-128-int | each); do
        try $net $t
        ! whole && [ $t = gap8 ] || try $net $t run
    done
done
L2=30000 try mobilenetv1-0.25-128-int gap8
grep -q '^spilled ' $d/r.txt || { echo "nothing spilled"; bad=$((bad + 1)); }
L2=20000 try mobilenetv1-0.25-128-int gap8
grep -q '^spilled .*input (input)' $d/r.txt ||
    { echo "no input in the L3"; bad=$((bad + 1)); }
try dscnn-qdq-u8 pulp-open
try autoencoder-int gap9
try kernels-integer/Concat siracusa
try dscnn-int cortex-m4
try transformer-f32 cortex-m7
try lstm-f32 host
# The ledger of PULP chips: rows of a network add up to its own.
if whole && command -v riscv64-unknown-elf-gcc >/dev/null; then
    n=$((n + 1))
    bench/pulp -t siracusa zoo/deadchannels-int 2>/dev/null | awk -F'\t' '
        NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
        $3 != "sum" { p += $col["predicted"]; m += $col["macs"]
            c += $col["simulated"]; k += $col["kernels"]; next }
        { sums++; ok = $col["status"] == "0" && p == $col["predicted"] &&
            m == $col["macs"] && k == $col["kernels"] && k > 0 && k < c &&
            c <= $col["simulated"] && $col["outside"] > 0 }
        END { exit !(sums == 1 && ok && c > 0) }' ||
        { echo "bench/pulp: rows and sums differ"; bad=$((bad + 1)); }
fi
echo "$n reports, $bad wrong"
[ $bad = 0 ]
