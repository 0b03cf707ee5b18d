#!/bin/sh
# What tune measures decides: a kernel whose head says too little is not chosen
# any more, nor a variant that gives other bits; the best variant is.  Layers alike
# are measured once.  A second run measures nothing, and gives the same plan; a
# ledger of another chip or kernel is not used.  Several at a time find the same.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
command -v qemu-system-arm >/dev/null || { echo "no QEMU: skipped"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0
net=$tmp/net.il
cat >"$net" <<END
graph "two" exact
x = input : s8[1,16,16,8] range -128 127
y = input : s8[1,16,16,8] range -128 127
a = avgpool x kernel=2,2 stride=2,2 last=1
b = avgpool y kernel=2,2 stride=2,2 last=1
c = add a b
output c
END
mkdir "$tmp/k"
sed 's/^ \* cycles.*/ * cycles   8 * n * c * oh * ow * kh * kw + STEPS/
    s/^ \* isa .*/&\n * param    STEPS 40 1 3/
    s/^    return floor_div.*/    for (volatile int i = 0; i < STEPS; i++)\n        ;\n&/
    s/2 \* count)/& + (STEPS == 3)/' \
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
tune() { # LEDGER WORDS...
    ledger=$1
    shift
    timeout 100 ./tilewright tune $net -t cortex-m4 --ledger "$tmp/$ledger" \
        "$@" >"$tmp/out" 2>&1 && return
    bad=$((bad + 1))
    cat "$tmp/out"
}
plan heads --kernels "$tmp/k"
has heads 'avgpool_int_k,'
tune ledger --kernels "$tmp/k" --exhaustive
has out 'avgpool_int_k_STEPS3 is wrong for layer'
has out 'avgpool_int_c  *avgpool_int_k$'
has out '^[34] runs to measure'
has out '^layers together: .* tuned (-'
for k in k k_STEPS1 c; do
    has ledger "estimated-cycles	[0-9]*	avgpool_int_$k	avgpool	"
done
same 'lines of a kernel of two layers' 1 "$(grep -c 'int_k	' "$tmp/ledger")"
has ledger 'wrong	1	avgpool_int_k_STEPS3	avgpool	'
plan tuned --kernels "$tmp/k" --ledger "$tmp/ledger"
has tuned 'avgpool_int_c,'
sort -r "$tmp/ledger" >"$tmp/sorted"
plan again --kernels "$tmp/k" --ledger "$tmp/sorted"
same 'the plan by the same lines' "$(cksum <"$tmp/again")" \
    "$(cksum <"$tmp/tuned")"
# without what is measured of kern/c, the best variant that is right
sed '/	avgpool_int_c	/d' "$tmp/ledger" >"$tmp/less"
plan variant --kernels "$tmp/k" --ledger "$tmp/less"
has variant 'avgpool_int_k_STEPS1,'
./tilewright run $net -t cortex-m4 --kernels "$tmp/k" --ledger "$tmp/less" \
    >"$tmp/out" 2>&1
same 'status of a run with a variant' $? 0
lines=$(wc -l <"$tmp/ledger")
tune ledger --kernels "$tmp/k" --exhaustive
has out '^0 runs to measure'
same 'lines of the ledger' "$(wc -l <"$tmp/ledger")" "$lines"
tune two --kernels "$tmp/k" --exhaustive -j 2 \
    --worker 'env TILEWRIGHT_WORKER={n}'
same 'kernels that two at a time measure' \
    "$(cut -f 1,2,4 "$tmp/two" | sort | cksum)" \
    "$(cut -f 1,2,4 "$tmp/ledger" | sort | cksum)"
same 'files that workers leave' "$(ls "$tmp" | grep -c '^two')" 1
./tilewright tune $net -t cortex-m4 --kernels "$tmp/k" --ledger "$tmp/no" \
    -j 2 --worker 'sh -c "exit 3"' >"$tmp/out" 2>&1
same 'status where workers fail' $? 5
has out 'worker . of 2 ended with status 3'
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
# a layer keeps the form that heads give it, of which alone there are times
pairs() { # WORDS...
    ./tilewright report zoo/autoencoder-int/network.onnx -t cortex-m4 \
        --csv - -q "$@" | cut -d, -f 4
}
if whole; then
    timeout 100 ./tilewright tune zoo/autoencoder-int/network.onnx \
        -t cortex-m4 --ledger "$tmp/pairs" >"$tmp/out" 2>&1
    same 'kernels with what was measured of them' \
        "$(pairs --ledger "$tmp/pairs")" "$(pairs)"
fi
./tilewright report $net -t cortex-m4 --ledger "$tmp/none" >"$tmp/out" 2>&1
same 'status without a ledger' $? 2
has out 'no such file'
# a chip with tiles: heads are corrected
timeout 100 ./tilewright tune $net -t siracusa --ledger "$tmp/tiles" \
    >"$tmp/out" 2>&1
same 'status of a chip with tiles' $? 0
has tiles 'permille	[0-9]*	avgpool_int_xpulp	avgpool	'
has out '^prediction off by'
has tiles 'beside	[0-9]*	avgpool_int_xpulp	avgpool	'
# what is measured again beside others is set against the head, not against what
# the ledger has made of that
cat >"$tmp/again.il" <<END
graph "again" exact
x = input : s8[1,32,32,16] range -128 127
a = avgpool x kernel=2,2 stride=2,2 last=1
b = avgpool a kernel=4,4 stride=4,4 last=1
output b
END
again() { # VERB WORDS...
    verb=$1
    shift
    timeout 100 ./tilewright $verb "$tmp/again.il" -t siracusa "$@"
}
of_a() { # FILE: the last value of the first layer's kernel
    awk -F'\t' '$2 == "permille" && $4 == "avgpool_int_xpulp" &&
        $6 == "s8[1,16,16,16]" { v = $3 } END { print v }' "$tmp/$1"
}
again tune --ledger "$tmp/first" >"$tmp/out" 2>&1
awk -F'\t' 'BEGIN { OFS = FS } $4 == "avgpool_int_c" && $6 ~ /4,4/ { next }
    $2 == "permille" && $4 == "avgpool_int_xpulp" { $3 = int($3 / 2) }
    { print }' "$tmp/first" >"$tmp/half"
again tune --ledger "$tmp/half" >"$tmp/out" 2>&1
has out '^1 runs to measure'
same 'within a tenth of what it was at first' 1 \
    $((10 * ($(of_a half) - $(of_a first)) / $(of_a first) == 0))
# what a layer takes beside its kernel counts where times are predicted
predicted() { # LEDGER
    again report --ledger "$tmp/$1" --json - -q |
        sed -n '/"layers"/,$ s/.*"predicted_cycles": \([0-9]*\),/\1/p' | head -1
}
for times in 1 2 3; do
    sed "s/beside	[0-9]*	avgpool_int_c/beside	${times}000	avgpool_int_c/" \
        "$tmp/first" >"$tmp/beside$times"
done
more=$(($(predicted beside2) - $(predicted beside1)))
same 'more than nothing' 1 $((more > 500))
same 'more once again, but for what is rounded' 1 \
    $((($(predicted beside3) - $(predicted beside2) - more) / 10 == 0))
# where what was measured makes the whole network slower, heads decide: the plan of
# a kernel that is said to take no time has tiles that are too small
cat >"$tmp/one.il" <<END
graph "one" exact
x = input : s8[1,32,32,16] range -128 127
a = avgpool x kernel=2,2 stride=2,2 last=1
output a
END
one() { # VERB WORDS...
    verb=$1
    shift
    timeout 100 ./tilewright $verb "$tmp/one.il" -t siracusa --mem L1=8000 "$@"
}
one tune --ledger "$tmp/both" >"$tmp/out" 2>&1
sed -n 's/permille	[0-9]*	avgpool_int_c	/permille	1	avgpool_int_c	/p' \
    "$tmp/both" >"$tmp/lie"
one report --ledger "$tmp/lie" --csv "$tmp/lied" -q
one tune --ledger "$tmp/lie" >"$tmp/out" 2>&1
has lie 'slower	[0-9]*	all	one	'
has out ' (+0.0 %)$'
one report --ledger "$tmp/lie" --csv "$tmp/mended" -q
one report --csv "$tmp/heads" -q
n=$((n + 1))
! cmp -s "$tmp/lied" "$tmp/heads" || { bad=$((bad + 1)); echo "no lie"; }
same 'the plan then' "$(cksum <"$tmp/mended")" "$(cksum <"$tmp/heads")"
echo "$n things looked for, $bad not as wanted"
[ $bad = 0 ]
