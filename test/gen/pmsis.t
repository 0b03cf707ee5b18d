#!/bin/sh
# Projects for the GAP SDK and pulp-sdk, compiled against a stub of PMSIS with
# all warnings, pass their self-test; one has its constants in external memory.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
printf '%s\n' 'include gap8' 'chip small about="little L2"' \
    'memory L2 size=32K' >"$dir/small.soc"
try() { # NET TARGET OPTIONS
    net=$1 target=$2
    shift 2
    rm -rf "$dir/p"
    ./tilewright compile "zoo/$net/network.onnx" -t "$target" -q -n net \
        --runtime pmsis -i "zoo/$net/inputs.npz" -o "$dir/p" "$@" || exit 1
    grep -q 'pmsis_rules.mk' "$dir/p/Makefile" || exit 1
    (cd "$dir/p" && cc -std=gnu99 -g -Wall -Wextra -Wshadow -Werror \
        -fsanitize=address,undefined -fno-sanitize-recover -I. \
        -I"$OLDPWD/test/gen/pmsis" -o run "$OLDPWD/test/gen/pmsis/stub.c" \
        $(sed -n '/^APP_SRCS/,/[^\\]$/p' Makefile | tr -d '\\' |
            sed 's/APP_SRCS =//') -lm && ./run | grep -q 'self-test passed') ||
        { echo "$net $* fails"; exit 1; }
    n=$((n + 1))
}
try autoencoder-int gap8 --l1 3K
try dscnn-int gap9
grep -q ' JOB(' "$dir/p/net.c" || { echo "no jobs of NE16"; exit 1; }
! whole || try transformer-int siracusa --l1 8K
[ -f "$dir/p/net_l3.bin" ] && exit 1
try autoencoder-int "$dir/small.soc"
[ -f "$dir/p/net_l3.bin" ] && grep -q 'HOSTFS_FILES = net_l3.bin' \
    "$dir/p/Makefile" || { echo "no constants in L3"; exit 1; }
try dscnn-int gap8 --l1 5000 --l2 3000
grep -q RT_IO "$dir/p/net.c" || { echo "no values in L3"; exit 1; }
./tilewright compile zoo/dscnn-int/network.onnx -t cortex-m4 -q \
    --runtime pmsis -o "$dir/q" 2>/dev/null
[ $? = 2 ] || exit 1
echo "$n projects pass their self-test on a stub of PMSIS"
