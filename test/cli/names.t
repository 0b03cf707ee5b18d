#!/bin/sh
# Names in models that a terminal would obey, or that turn the direction of
# text, are escaped in all that is said and written; they end no comment and no
# element.  External data is read from regular files beside a model's file.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
tw=./tilewright
n=0 bad=0
hidden='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f\xad]|\xd8\x9c|'
hidden="$hidden\\xe2\\x80[\\x8b-\\x8f\\xa8-\\xae]|\\xe2\\x81[\\xa0-\\xaf]"
# clean WHAT PATH...: no hidden character in these
clean() {
    what=$1
    shift
    n=$((n + 1))
    LC_ALL=C grep -raPl --exclude='*.npz' --exclude='*.bin' "$hidden" "$@" &&
        echo "$what: hidden characters" && bad=$((bad + 1))
}
# want WHAT COMMAND...
want() {
    what=$1
    shift
    n=$((n + 1))
    "$@" && return
    echo "FAIL $what"
    bad=$((bad + 1))
}
d=test/front
printf 'a\033b\302\205c' >"$tmp/dirty"
want 'the pattern finds what it should' \
    env LC_ALL=C grep -aqP "$hidden" "$tmp/dirty"
for f in name_ansi name_rtl; do
    for t in host gap8; do
        rm -rf "$tmp/$t"
        mkdir "$tmp/$t"
        $tw compile $d/$f.onnx -t $t -o "$tmp/$t/p" --explain -v -d front \
            --json "$tmp/$t/j.json" --html "$tmp/$t/h.html" \
            >"$tmp/$t/out" 2>"$tmp/$t/err"
        want "$f on $t" grep -q 'wrote' "$tmp/$t/out"
        clean "$f on $t" "$tmp/$t"
        want "$f is shown" grep -Eq '(x1b|u202e)' "$tmp/$t/out"
        want "$f as JSON" python3 -c "
import json; json.load(open('$tmp/$t/j.json'))"
    done
    want "$f runs" make -s -C "$tmp/host/p" run >"$tmp/out"
done
$tw report $d/op_evil.onnx -t host --json "$tmp/j.json" >"$tmp/out" 2>"$tmp/err"
want 'op_evil is refused' [ $? = 1 ]
clean op_evil "$tmp/j.json" "$tmp/out" "$tmp/err"
want 'op_evil is named' grep -qF '(*/\x0a"evil\x1b[31m)' "$tmp/err"
want 'a line of its own' [ "$(wc -l <"$tmp/err")" = 1 ]
printf 'not UTF-8: \377' >"$tmp/$(printf 'x\033\377').onnx"
$tw report "$tmp"/x*.onnx -t host --json "$tmp/j.json" 2>"$tmp/err"
clean 'the file' "$tmp/j.json" "$tmp/err"
want 'JSON of any name' python3 -c "
import json; assert '\x1b\ufffd' in json.load(open('$tmp/j.json'))['model']"

mkdir "$tmp/ext"
cp $d/ext_fifo.onnx "$tmp/ext"
mkfifo "$tmp/ext/fifo"
timeout 10 $tw report "$tmp/ext/ext_fifo.onnx" -t host 2>"$tmp/err"
want 'external data in a FIFO' [ $? = 1 ]
want 'it is told' grep -q 'fifo: not a regular file' "$tmp/err"
$tw report - -t host <$d/ext_fifo.onnx 2>"$tmp/err"
want 'external data beside nothing' [ $? = 1 ]
want 'it is told' grep -q "give the model's path" "$tmp/err"
echo "$n checks, $bad wrong"
[ $bad = 0 ]
