#!/bin/sh
# The command line's contract: exit codes, one clear message, --json always.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
tw=./tilewright model=zoo/dscnn-int/network.onnx
n=0 bad=0

# want STATUS 'part of stderr' ARGS...
want() {
    status=$1 text=$2
    shift 2
    n=$((n + 1))
    $tw "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    if [ $got != "$status" ]; then
        echo "tilewright $*: exit $got, wanted $status"
        cat "$tmp/err"
        bad=$((bad + 1))
    elif [ "$text" ] && ! grep -qF -- "$text" "$tmp/err"; then
        echo "tilewright $*: said '$(cat "$tmp/err")', wanted '$text'"
        bad=$((bad + 1))
    fi
}

# holds FILE 'text'
holds() {
    n=$((n + 1))
    grep -qF -- "$2" "$1" && return
    echo "$1 lacks $2:"
    cat "$1"
    bad=$((bad + 1))
}

want 2 'tilewright compile'
want 2 'no verb bake' bake
want 2 'no verb bake' help bake
want 2 'no model given' compile
want 2 'unknown option --fast' compile $model --fast x
want 2 '-t wants a value' compile $model -t
want 2 'no target z80' compile $model -t z80
want 2 'wants -t TARGET' compile $model
want 2 'a second model b' compile a b
want 2 '--mem: 12, wanted NAME=VALUE' compile $model --mem 12
want 2 'wanted a number of bytes' compile $model --mem RAM=lots
want 2 'wanted a number of bytes' compile $model --l1 K
want 2 'wanted a number of bytes' compile $model --l2 9000000000000000M
want 2 'has no such memory' compile $model -t cortex-m4 --mem L9=12
want 2 'the chip has' compile $model -t cortex-m4 --mem RAM=64M
want 2 'wanted f32 s8 u8 s16 s32' compile $model --input-type f64
want 2 'wanted a number from 0' compile $model --tolerance -1
want 2 'wanted a number of seconds' compile $model --budget 0
want 2 'wanted time, memory, energy or flash' compile $model --objective size
want 2 'read no weights from flash' compile $model -t gap8 --objective flash
want 2 'gap8 has no line `energy core_cycle' compile $model -t gap8 \
    --objective energy
want 2 'not a name in C' compile $model -t host -n 9lives
want 2 'no pass bogus' compile $model -t host --no-bogus
want 2 'no such pass' compile $model -t host -d bogus
# The context that is said to fit does, and no longer one.
longest() { # ARGS...
    want 3 'the longest --context that fits: ' compile "$@" -o "$tmp/lm"
    most=$(sed 's/.*that fits: //' "$tmp/err")
    want 0 '' report "$@" --context "$most"
    want 3 "that fits: $most" report "$@" --context $((most + 1))
}
longest zoo/stories/stories8x64.bin -t cortex-m4 --mem RAM=300K \
    --tokenizer zoo/stories/words.bin
want 3 'the longest --context that fits: none' report \
    zoo/stories/stories8x64.bin -t cortex-m4 --mem RAM=1K
want 0 '' check $model -t host -d quant
holds "$tmp/err" 'graph "dscnn-int"'
want 5 'cannot write /none/x' report $model -t host -q --html /none/x
grep -q 'onnx: cannot' "$tmp/err" && echo "the model's fault?" &&
    bad=$((bad + 1))
want 2 'no input has a dimension' compile $model -t host --dim M=4
want 2 'has no such input' compile $model -t host --input-type foo=u8
want 1 'cannot read none.onnx' compile none.onnx -t host
want 1 'not a regular file' compile test -t host
want 1 'none.elf' sim none.elf -t pulp-open
printf 'no model at all' >"$tmp/bad.onnx"
want 1 "$tmp/bad.onnx: " compile "$tmp/bad.onnx" -t host --json "$tmp/json"
holds "$tmp/json" '"status": 1'
holds "$tmp/json" "\"file\": \"$tmp/bad.onnx\""
want 2 'no target z80' compile --json "$tmp/json" $model -t z80
holds "$tmp/json" '"status": 2'
want 2 'unknown option --fast' compile $model --fast x --json "$tmp/json"
holds "$tmp/json" '"layers": null'
rm "$tmp/json"
want 1 'none.csv' pack none.csv --json "$tmp/json"
holds "$tmp/json" '"height": null'
holds "$tmp/json" 'cannot read none.csv'
rm "$tmp/json"
want 2 'no target z80' sim none.elf -t z80 --json "$tmp/json"
holds "$tmp/json" '"message": "no target z80'
holds "$tmp/json" '"ended": false'
want 2 'no target pulp;' compile $model -t pulp
want 0 '' --version
want 0 '' help
want 0 '' help run
holds "$tmp/out" 'tilewright run MODEL'
want 0 '' targets
holds "$tmp/out" 'cortex-m4'
n=$((n + 3))
for words in --version 'help run' targets; do # nowhere to say it
    $tw $words >/dev/full 2>"$tmp/err"
    [ $? = 5 ] && grep -q 'cannot write' "$tmp/err" ||
        { echo "tilewright $words: not heard"; bad=$((bad + 1)); }
done
want 0 '' targets cortex-m55
holds "$tmp/out" 'core '
want 0 '' ops
holds "$tmp/out" 'Conv'

want 2 'at most one name' targets host gap8
want 2 'unknown option --fast' ops --fast
want 2 'no target z80' targets z80 --json "$tmp/json"
holds "$tmp/json" '"targets": null'
want 2 "no operator 'Convv'" ops Convv --json "$tmp/json"
holds "$tmp/json" '"ops": null'
want 0 '' targets gap8 --json "$tmp/json"
holds "$tmp/out" 'chip gap8'
holds "$tmp/json" '"kind": "dma"'
want 0 '' ops --json "$tmp/json" -q
n=$((n + 2))
[ -s "$tmp/out" ] && echo "ops -q says something" && bad=$((bad + 1))
for verb in targets ops; do # what is listed as text stands in the JSON too
    $tw $verb | cut -d' ' -f1 | sort >"$tmp/out"
    $tw $verb --json - | python3 -c "
import json, sys
for x in json.load(sys.stdin)['$verb']:
    if x.get('supported', True):
        print(x['name'])" | sort | cmp - "$tmp/out" || bad=$((bad + 1))
done

# what cannot be written is told before there is work, or at the end
for option in --json --html --csv; do
    want 5 'cannot write /none/x: No such file' report no.onnx -t host \
        $option /none/x
    want 5 'cannot write /dev/full: No space' report $model -t host -q \
        $option /dev/full
done
want 5 'cannot write test: Is a directory' report $model -t host --html test
want 5 'cannot write /dev/full' report no.onnx -t host --json /dev/full
holds "$tmp/err" 'no.onnx: cannot read'
want 5 'cannot write /none/x' run no.onnx -t host -o /none/x
want 5 'cannot write /none/x' targets --json /none/x
want 5 'cannot write /none/x' ops --json /none/x
want 5 'cannot write /none/x' pack no.csv --json /none/x
want 5 'cannot write /none/x' sim no.elf -t gap8 --json /none/x
want 2 'is there already' compile no.onnx -t host -o test
mkfifo "$tmp/fifo.npz" "$tmp/fifo"
want 1 'not a regular file' report "$tmp/fifo" -t host
want 1 'not a regular file' run $model -t host -i "$tmp/fifo.npz"
want 1 'not a regular file' pack "$tmp/fifo"
want 1 'not a regular file' sim "$tmp/fifo" -t gap8
python3 -c "
import sys, zipfile
head = b\"{'descr': '|u1', 'fortran_order': False, 'shape': (200000000,), }\"
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:
    z.writestr('x.npy', b'\x93NUMPY\1\0%c\0' % len(head) + head +
               bytes(200000000))" "$tmp/bomb.npz"
memory=$(ulimit -v)
[ "$SANITIZED" ] || ulimit -S -v 150000 # shadow memory takes terabytes
want 1 'less than a hundredth' run $model -t host -i "$tmp/bomb.npz"
ulimit -S -v "$memory"

# a model on standard input
want 1 'standard input: not an ONNX model' report - -t host <"$tmp/bad.onnx"
want 0 '' report - -t host --json "$tmp/json" <$model
holds "$tmp/json" '"name": "model"'
want 0 '' report $model -t host --json -
head -c 1 "$tmp/out" >"$tmp/json"
holds "$tmp/json" '{'

# names that C, its libraries or our files have
want 2 '-n math: a header' report $model -t host -n math
for name in int math io Finish; do
    cp $model "$tmp/$name.onnx"
    want 0 "the network is called ${name}_net" report "$tmp/$name.onnx" -t host
done
cp $model "$tmp/free_net.onnx"
want 0 '' report "$tmp/free_net.onnx" -t host
n=$((n + 1))
[ -s "$tmp/err" ] && cat "$tmp/err" && bad=$((bad + 1))

# compile: a project, never overwritten without -f; nothing half-written
want 0 '' compile $model -t cortex-m4 -o "$tmp/p" --json "$tmp/json"
holds "$tmp/json" '"status": 0'
holds "$tmp/json" '"ram_bytes": '
want 2 "$tmp/p" compile $model -t cortex-m4 -o "$tmp/p"
want 0 '' compile $model -t cortex-m4 -o "$tmp/p" -f -q --html "$tmp/html"
holds "$tmp/html" '</html>'
want 0 '' report $model -t cortex-m4 -q --html "$tmp/html"
holds "$tmp/html" '</html>'
n=$((n + 1))
[ -s "$tmp/out" ] && echo "report -q says something" && bad=$((bad + 1))
rm "$tmp/html"
want 3 'bytes' compile $model -t cortex-m4 --mem RAM=100 -o "$tmp/q" \
    --json "$tmp/json"
holds "$tmp/json" '"status": 3'
holds "$tmp/json" '"bytes": '
n=$((n + 1))
[ -e "$tmp/q" ] && echo "$tmp/q is left behind" && bad=$((bad + 1))

# the example of a product of 3000 x 3000 x 3000 would take minutes
want 0 'the project has no self-test' compile test/cli/products.onnx -t host \
    -o "$tmp/g"
# a kernel's header of that name lies in a folder of its own
n=$((n + 2))
[ -e "$tmp/g/products.h" ] ||
    { echo "the project has no products.h"; bad=$((bad + 1)); }
make -s -C "$tmp/g" >"$tmp/log" 2>&1 && ! ls "$tmp"/g/*selftest* 2>"$tmp/err" ||
    { cat "$tmp/log"; bad=$((bad + 1)); }
rm -rf "$tmp/g"

# as many layers as the planner's recursion is deep
make -s build/test/front || exit 1
awk 'BEGIN { print "in v0 float[1,64]"
    for (i = 0; i < 11000; i++)
        print "node Sigmoid n" i " v" i " -> v" i + 1
    print "out v11000" }' >"$tmp/deep.txt"
build/test/front -s "$tmp" "$tmp/deep.txt" >"$tmp/log" || bad=$((bad + 1))
want 0 '' report "$tmp"/deep*.onnx -t gap8

# run: matches what it should, differs from what it should not
io="-i zoo/dscnn-int/inputs.npz"
want 0 '' run $model -t host $io -e zoo/dscnn-int/outputs.npz \
    --json "$tmp/json" -o "$tmp/o.npz"
holds "$tmp/json" '"match": true'
want 0 '' run $model -t host $io -e "$tmp/o.npz" --html "$tmp/html"
holds "$tmp/html" '</html>'
want 4 'results differ' run $model -t host -i test/cli/wrongshape.npz \
    -e zoo/dscnn-qdq-s8/outputs.npz --json "$tmp/json"
holds "$tmp/json" '"match": false'
holds "$tmp/err" "has shape [10,49,1,1], 'input' has [1,1,49,10]"
want 2 'of which inputs' run $model -t host -e zoo/dscnn-int/outputs.npz
want 1 'empty.npz: no arrays' run $model -t host -i test/cli/empty.npz
want 1 "nan.npz: array 'input' has nan at element 0" \
    run $model -t host -i test/cli/nan.npz
python3 -c "
import sys
for kind, path in zip((b'<\\0004', b'<4 ', b'<f '), sys.argv[1:]):
    head = b\"{'descr': '%s', 'fortran_order': False, 'shape': (4,), }\" % kind
    open(path, 'wb').write(b'\x93NUMPY\1\0%c\0' % len(head) + head + bytes(16))
" "$tmp/nul.npy" "$tmp/blank.npy" "$tmp/short.npy"
for file in nul blank short; do
    want 1 'elements of type' run $model -t host -i "$tmp/$file.npy"
done

# results differ: how far, and the first layer that does, of a kernel that errs
mkdir "$tmp/wrong"
sed 's/^ \* cycles.*/ * cycles   1/; s/2 \* sum + count,/2 * sum + 199 * count,/' \
    kern/ref/avgpool_int.c >"$tmp/wrong/avgpool_int.c"
for t in $(printf '%s\n' cortex-m4 host siracusa | each); do
    want 4 "the first layer that differs from the reference kernels is " \
        run zoo/resnet8-int/network.onnx -t $t --kernels "$tmp/wrong" \
        --json "$tmp/json"
    holds "$tmp/err" ", 'gap_13' (avgpool)"
    holds "$tmp/err" "output 'dense_15': "
    n=$((n + 1))
    python3 -c "
import json
j = json.load(open('$tmp/json'))
d, o = j['first_difference'], j['outputs'][0]
err = open('$tmp/err').read()
assert (d['name'], d['op']) == ('gap_13', 'avgpool'), d
assert f\"kernels is {d['layer']}, 'gap_13'\" in err, err
assert not d['match'] and d['elements_differ'] > 0 and d['max_abs_diff'] >= 1
assert not o['match'] and 0 < o['rmse'] <= o['max_abs_diff'] and \
    .5 < o['cosine'] < 1, o" || bad=$((bad + 1))
done
want 4 'others were expected' run zoo/dscnn-int/network.onnx -t host $io \
    -e zoo/dscnn-qdq-s8/outputs.npz
# against what NumPy says of the same two arrays
python3 -c "
import numpy as np
a = np.load('$tmp/o.npz')['output_0']
np.savez('$tmp/near.npz', a + np.arange(a.size).reshape(a.shape) % 3)"
want 4 'others were expected' run $model -t host $io -e "$tmp/near.npz" \
    --json "$tmp/json"
n=$((n + 1))
python3 -c "
import json
import numpy as np
a = np.load('$tmp/o.npz')['output_0'].astype(float).ravel()
b = np.load('$tmp/near.npz')['arr_0'].astype(float).ravel()
o = json.load(open('$tmp/json'))['outputs'][0]
assert o['max_abs_diff'] == 2 and o['first_element'] == 1
assert o['elements_differ'] == (a != b).sum()
assert abs(o['rmse'] - np.sqrt(((a - b) ** 2).mean())) < 1e-6
assert abs(o['cosine'] - a @ b / np.linalg.norm(a) / np.linalg.norm(b)) < 1e-6
" || bad=$((bad + 1))

# interrupted while it builds: no folder stays behind
mkdir "$tmp/t"
for after in $(printf '%s\n' 0.2 0.1 0.3 0.5 | each); do
    TMPDIR=$tmp/t $tw run $model -t host -q &
    sleep $after
    kill -TERM $! 2>"$tmp/err" # it may have ended
    wait $! 2>"$tmp/err"
    n=$((n + 1))
    [ "$(ls "$tmp/t")" ] && echo "$tmp/t holds $(ls "$tmp/t")" &&
        bad=$((bad + 1))
done

# interrupted while it compiles: the folder is whole or absent, nothing beside
mkdir "$tmp/c"
large=zoo/mobilenetv1-0.25-128-int/network.onnx
want 0 '' compile $large -t siracusa -n net -o "$tmp/whole"
whole=$(cd "$tmp/whole" && find . -type f | sort)
for after in $(printf '%s\n' 0.05 0.01 0.1 0.2 0.4 0.6 0.8 1 1.2 1.5 2 | each)
do
    $tw compile $large -t siracusa -n net -q -o "$tmp/c/p" &
    sleep $after
    kill -INT $! 2>"$tmp/err" # it may have ended
    kill -TERM $! 2>"$tmp/err" # a script's children may ignore the first
    wait $! 2>"$tmp/err"
    n=$((n + 1))
    found=$(ls "$tmp/c")
    if [ "$found" = p ]; then
        [ "$(cd "$tmp/c/p" && find . -type f | sort)" = "$whole" ]
    else
        [ -z "$found" ]
    fi || { echo "after $after s: $found"; ls "$tmp"/c/*; bad=$((bad + 1)); }
    rm -rf "$tmp/c/p"
done
echo "$n checks, $bad wrong"
[ $bad = 0 ]
