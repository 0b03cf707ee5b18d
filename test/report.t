#!/bin/sh
# Reports agree with themselves: layers add up to totals, in JSON, text and the
# drawings; all keys are there; the page is well-formed, its bars and buffers do
# not overlap; tables keep to 120 columns.
cd "$(dirname "$0")/.." || exit 1
make -s build/test/report || exit 1
d=build/test/reports
mkdir -p $d
bad=0 n=0
try() { # NETWORK TARGET [run]
    n=$((n + 1))
    build/test/report "zoo/$1/network.onnx" "$2" $d/r $3 &&
        python3 test/report.py $d/r soc/"$2".soc "$3" ||
        { echo "zoo/$1 on $2 $3"; bad=$((bad + 1)); }
}
for t in gap8 siracusa; do
    for net in mobilenetv1-0.25-128-int resnet8-int transformer-int; do
        try $net $t
        try $net $t run
    done
done
try dscnn-qdq-u8 pulp-open
try autoencoder-int gap9
try dscnn-int cortex-m4
try transformer-f32 cortex-m7
try lstm-f32 host
echo "$n reports, $bad wrong"
[ $bad = 0 ]
