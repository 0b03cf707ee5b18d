#!/bin/sh
# Networks of many layers: what fits is planned, and what can not, for its
# program and its buffers together, is refused at once, with the bytes; so is,
# after a few plans, what may be just too large.
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
ulimit -t 20 # of the processor; it took 80

# outputs N: as many sums of one input.  tree N: of as many inputs, one sum;
# join N: one concat.
outputs() {
    awk -v n="$1" 'BEGIN {
        print "in x float[1,4]"
        for (i = 0; i < n; i++)
            printf("init c%d float[4] %d %d 0 1\nnode Add n%d x,c%d -> v%d\n" \
                   "out v%d\n", i, i, i + 1, i, i, i, i) }'
}
join() { # of N inputs, a concat
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++) {
            printf("in v%d float[1,4]\n", i)
            args = args (i ? "," : "") "v" i
        }
        printf("node Concat n0 %s -> y axis=1\nout y\n", args) }'
}
tree() {
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++)
            printf("in v%d float[1,8]\n", i)
        for (k = 0; n > k + 1; k += 2)
            printf("node Add n%d v%d,v%d -> v%d\n", n, k, k + 1, n++)
        printf("out v%d\n", n - 1) }'
}

# plan KIND N EXIT
plan() {
    $1 "$2" >"$tmp/net.txt"
    build/test/front -s "$tmp" "$tmp/net.txt" >"$tmp/log" || exit 1
    ./tilewright report "$tmp"/net*.onnx -t gap8 -q >"$tmp/said" 2>&1
    got=$?
    rm "$tmp"/net*.onnx
    [ $got = "$3" ] ||
        { echo "$1 $2: exit $got"; tail -n 3 "$tmp/said"; exit 1; }
}
refused() { # KIND N: and as much is missing as is named
    plan "$1" "$2" 3
    sed -n 's/.*L2 needs [a-z ]*\([0-9]*\) bytes for the program of .* and '\
'\([0-9]*\) for buffers, has \([0-9]*\): \([0-9]*\) bytes are missing.*/'\
'\1 \2 \3 \4/p' "$tmp/said" | awk '$1 > 0 && $1 + $2 - $3 == $4 && $4 > 0 {
        ok = 1 } END { exit !ok }' || { cat "$tmp/said"; exit 1; }
}
plan outputs 5000 0
refused outputs 8000
refused outputs 10000
refused tree 10000
plan join 3000 0
refused join 5000
echo "5000 layers are planned, more refused at once"
