#!/bin/sh
# The integer networks of zoo/ use their 8 bits as trained networks do: few
# values at the ends, no channel that never changes.  From what runs on this
# machine dump, of the stored input and of others made of it.
# histogram.t [FOLDER...]: of those networks; test/quant/histogram.long has the large.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh

one() { # NETWORK's folder
    tmp=$(mktemp -d) || exit 1
    trap 'rm -rf "$tmp"' EXIT
    used=
    cp "$1/inputs.npz" "$tmp/1.npz"
    build/test/histogram back "$tmp/1.npz" "$tmp/2.npz" || exit 1
    case $1 in
    *mobilenet*) used=used ;;
    *cifar10*) ;; # calibrated with images; their negatives clip its ten logits
    *)  for i in 1 2; do
            build/test/histogram invert "$tmp/$i.npz" "$tmp/${i}i.npz" ||
                exit 1
        done ;;
    esac
    for i in "$tmp"/*.npz; do
        ./tilewright run "$1/network.onnx" -t host -q -i "$i" \
            --no-layout --dump "${i%.npz}" --json "$tmp/j" || exit 1
    done
    grep -q '"macs_removed": 0,' "$tmp/j" ||
        echo "$1: of its multiplications some are removed"
    build/test/histogram "$1" $used "$tmp"/*/layers.npz
}

if [ "$1" = --one ]; then
    one "$2"
    exit
fi
make -s build/test/histogram || exit 1
# deadchannels-int is as it is on purpose: it must be caught
[ $# != 0 ] || set -- zoo/deadchannels-int \
    $(ls -d zoo/*-int | grep -v /deadchannels | each)
said=$(printf '%s\n' "$@" | xargs -P 2 -n 1 "$0" --one)
echo "$said"
bad=$(echo "$said" | grep -v -e '^zoo/deadchannels-int: ' -e ' 0 complaints$')
[ "$(echo "$said" | grep -c ' complaints$')" = \
    $# ] || bad=failed # or did not run
for what in 'constant channels' 'some are removed'; do
    [ "$1" != zoo/deadchannels-int ] || echo "$said" |
        grep -q "^zoo/deadchannels-int: .*$what" || bad=dead
done
echo "$(echo "$said" | grep -c ' 0 complaints$') networks use their 8 bits"
[ -z "$bad" ]
