#!/bin/sh
# TensorFlow Lite models against the results of its reference kernels: each of
# the folders mlperf-tiny and tflite-more of ../shared/models (TILEWRIGHT_MODELS),
# as they are read, by the plain kernels, and one of each through all of the
# compiler; sequences where they remember something.  test/front/tflite has one
# small model of each operator, made by tools/tflite.py with the micro runtime.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
make -s build/test/models_eval tilewright || exit 1
models=${TILEWRIGHT_MODELS:-../shared/models}
dir=build/test/tflite
rm -rf $dir
mkdir -p $dir
runs=0 small=0 whole=0 failed=0

# fails TEXT...: says so, and counts it
fails() {
    echo "$@"
    failed=$((failed + 1))
}

sequence() { # FOLDER: state follows from run to run
    python3 - "$1/sequence.npz" $dir <<'PY' || { fails "$1: no sequence"; return; }
import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
for kind in 'input', 'output':
    with zipfile.ZipFile('%s/%s.npz' % (sys.argv[2], kind), 'w') as to:
        for n in sorted(z.namelist()):
            if n.startswith(kind):
                to.writestr(n, z.read(n))
PY
    ./tilewright run "$1/network.tflite" -t host --sequence \
        -i $dir/input.npz -e $dir/output.npz >$dir/out 2>&1 ||
        fails "$1: sequence: $(tail -n 1 $dir/out)"
    whole=$((whole + 1))
}

for net in $(ls "$models"/mlperf-tiny/*/network.tflite \
    "$models"/tflite-more/*/network.tflite 2>/dev/null | each); do
    d=${net%/network.tflite}
    for in in "$d"/inputs-*.npz; do
        expected=$d/outputs-${in##*/inputs-}
        build/test/models_eval "$net" "$in" "$expected" >$dir/out 2>&1 ||
            fails "$in: $(tail -n 1 $dir/out)"
        runs=$((runs + 1))
    done
    ./tilewright run "$net" -t host -i "$d/inputs-01.npz" \
        -e "$d/outputs-01.npz" >$dir/out 2>&1 ||
        fails "$d: $(tail -n 1 $dir/out)"
    whole=$((whole + 1))
    [ ! -f "$d/sequence.npz" ] || sequence "$d"
done
for net in test/front/tflite/*/network.tflite; do
    d=${net%/network.tflite}
    build/test/models_eval "$net" "$d/inputs.npz" "$d/outputs.npz" \
        >$dir/out 2>&1 || fails "$d: $(tail -n 1 $dir/out)"
    small=$((small + 1))
done
[ $runs -gt 0 ] || echo "no models in $models: none read"
echo "$small small models and $runs inputs by the plain kernels, $whole runs of compiled projects," \
    "$failed not as wanted"
[ $failed = 0 ] && [ $small -gt 0 ]
