#!/bin/sh
# Static allocation: brute force, what must hold of any instance, the verb, and
# the published instances where they are at hand.
cd "$(dirname "$0")/../.." || exit 1
make -s tilewright build/test/pack || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0

# ask STATUS 'WHAT IS SAID' WORDS...: the verb on $tmp/in.csv
ask() {
    want=$1 says=$2
    shift 2
    ./tilewright pack "$tmp/in.csv" "$@" >"$tmp/out" 2>"$tmp/err"
    is=$?
    if [ $is != "$want" ] || ! grep -q "$says" "$tmp/out" "$tmp/err"; then
        echo "pack $*: status $is, wanted $want and '$says'"
        cat "$tmp/out" "$tmp/err"
        bad=$((bad + 1))
    fi
}

printf 'id,lower,upper,size,alignment\na,0,2,10,8\nb,1,3,5,\n' >"$tmp/in.csv"
ask 0 '^b,1,3,5,1,10$'
ask 0 'height 15  bound 15  gap 0.00 %  optimal'
ask 0 '"optimal": true' --json /dev/stdout
ask 3 '3 missing' --capacity 12
ask 2 'wanted bytes' --capacity none
ask 2 'usage' --what
printf 'id,lower,size\na,1,2\n' >"$tmp/in.csv"
ask 1 'no column `upper`'
printf 'id,lower,upper,size\na,1,2\n' >"$tmp/in.csv"
ask 1 'in.csv:2: 3 fields, wanted size too'
printf 'id,lower,upper,size\na,5,2,7\n' >"$tmp/in.csv"
ask 1 'ends (2) before it begins (5)'
printf 'id,lower,upper,size\na,1,2,x\n' >"$tmp/in.csv"
ask 1 'size is `x`, wanted a whole number'
large=2000000000000000000
printf 'id,lower,upper,size\na,1,2,%s\nb,1,2,%s\n' $large $large >"$tmp/in.csv"
ask 1 'add up'
: >"$tmp/in.csv"
ask 1 'empty'

dir=../shared/baselines/packing
[ -d "$dir" ] || { echo "no $dir: published instances skipped"; dir=; }
build/test/pack "${SEED:-1}" 2000 $dir >"$tmp/say" || bad=$((bad + 1))
cat "$tmp/say"
[ $bad = 0 ]
