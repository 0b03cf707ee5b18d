#!/bin/sh
# What tune measures decides: a kernel whose head says too little is not chosen
# any more; a second run measures nothing, and gives the same plan; a ledger of
# another chip or kernel is not used.
cd "$(dirname "$0")/../.." || exit 1
command -v qemu-system-arm >/dev/null || { echo "no QEMU: skipped"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0
net=zoo/dscnn-int/network.onnx
mkdir "$tmp/k"
sed 's/^ \* cycles.*/ * cycles   n * c * oh * ow * kh * kw/' \
    kern/ref/avgpool_int.c >"$tmp/k/avgpool_int.c"
has() { # FILE TEXT
    n=$((n + 1))
    grep -q -- "$2" "$tmp/$1" && return
    bad=$((bad + 1))
    echo "wanted '$2' in"
    cat "$tmp/$1"
}
same() { # WHAT A B
    n=$((n + 1))
    [ "$2" = "$3" ] && return
    bad=$((bad + 1))
    echo "$1: $2, not $3"
}
plan() { # FILE WORDS...
    file=$1
    shift
    ./tilewright report $net -t cortex-m4 --csv "$tmp/$file" -q "$@" ||
        bad=$((bad + 1))
}
plan heads --kernels "$tmp/k"
has heads 'avgpool_int_k,'
timeout 100 ./tilewright tune $net -t cortex-m4 --kernels "$tmp/k" \
    --ledger "$tmp/ledger" >"$tmp/out" 2>&1 || { bad=1; cat "$tmp/out"; }
has out 'avgpool_int_c  *avgpool_int_k$'
has out '^[2-9] runs to measure'
has out '^layers together: .* tuned (-'
has ledger 'estimated-cycles	[0-9]*	avgpool_int_k	avgpool	'
plan tuned --kernels "$tmp/k" --ledger "$tmp/ledger"
has tuned 'avgpool_int_c,'
sort -r "$tmp/ledger" >"$tmp/sorted"
plan again --kernels "$tmp/k" --ledger "$tmp/sorted"
same 'the plan by the same lines' "$(cksum <"$tmp/again")" \
    "$(cksum <"$tmp/tuned")"
lines=$(wc -l <"$tmp/ledger")
timeout 100 ./tilewright tune $net -t cortex-m4 --kernels "$tmp/k" \
    --ledger "$tmp/ledger" >"$tmp/out" 2>&1
has out '^0 runs to measure'
same 'lines of the ledger' "$(wc -l <"$tmp/ledger")" "$lines"
# another text of a kernel, and another chip: nothing is known of them
echo >>"$tmp/k/avgpool_int.c"
plan changed --kernels "$tmp/k" --ledger "$tmp/ledger"
has changed 'avgpool_int_k,'
for t in cortex-m4 cortex-m7; do
    ./tilewright report $net -t $t --json - --ledger "$tmp/ledger" |
        grep '"kernel"\|predicted_cycles' >"$tmp/with.$t"
    ./tilewright report $net -t $t --json - |
        grep '"kernel"\|predicted_cycles' >"$tmp/without.$t"
done
same 'on another chip' "$(cksum <"$tmp/with.cortex-m7")" \
    "$(cksum <"$tmp/without.cortex-m7")"
./tilewright report $net -t cortex-m4 --ledger "$tmp/none" >"$tmp/out" 2>&1
same 'status without a ledger' $? 2
has out 'no such file'
./tilewright tune $net -t siracusa >"$tmp/out" 2>&1
same 'status of a chip with tiles' $? 2
echo "$n things looked for, $bad not as wanted"
[ $bad = 0 ]
