#!/bin/sh
# Every layer on a device against the reference kernels: what is planted, a wrong
# kernel, a wrong address, an overwritten buffer, is found, with layer and cause.
cd "$(dirname "$0")/../.." || exit 1
command -v qemu-system-arm >/dev/null || { echo "no QEMU: skipped"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0
validate() { # STATUS NET TARGET DEVICE [MORE]
    status=$1 net=$2 t=$3 d=$4
    shift 4
    timeout 100 ./tilewright validate zoo/$net/network.onnx \
        -i zoo/$net/inputs.npz -t $t --device $d --json "$tmp/json" "$@" \
        >"$tmp/out" 2>"$tmp/err"
    is=$?
    n=$((n + 1))
    [ $is = "$status" ] && return
    bad=$((bad + 1))
    echo "$net on $t: status $is"
    cat "$tmp/out" "$tmp/err"
}
has() { # FILE TEXT [TIMES]
    n=$((n + 1))
    [ "$(grep -c -- "$2" "$tmp/$1")" -ge "${3:-1}" ] && return
    bad=$((bad + 1))
    echo "wanted '$2' in"
    cat "$tmp/$1"
}
validate 0 resnet8-int cortex-m4 qemu -e zoo/resnet8-int/outputs.npz
has out ' equal$' 18
has out '  2  conv_1_acc .* [0-9]\{6\}  equal'
has json '"first_difference": null'
validate 0 dscnn-int siracusa sim
has out ' [0-9]\{4,5\} .* equal$' 8
validate 4 resnet8-int cortex-m4 qemu -e zoo/resnet8-qdq-s8/outputs.npz
has err 'other outputs were expected'
plant() { # KERNEL HOW
    rm -rf "$tmp/k"
    mkdir "$tmp/k"
    python3 test/dev/plant.py kern/ref/$1.c $2 >"$tmp/k/$1.c"
}
for on in cortex-m4:qemu siracusa:sim; do
    plant avgpool_int value
    validate 4 resnet8-int ${on%:*} ${on#*:} --kernels "$tmp/k"
    has err "^layer [0-9]*, 'gap_13' (avgpool), is the first .*wrong kernel: avgpool"
    has out ' equal$' 17
    has json '"cause": "wrong kernel'
done
plant avgpool_int address
validate 4 resnet8-int rv32imc qemu --kernels "$tmp/k"
has err "^layer 17, 'gap_13' .*wrong address: .* 32 bytes behind its place"
has out ' equal$' 17
plant requant_int buffer
validate 4 resnet8-int cortex-m4 qemu --kernels "$tmp/k"
has err "^layer 5, 'add_4_0' (requant), .*overwritten buffer: it writes into"
has err "'conv_3' at 0x2000[0-9a-f]*, from byte 0 on"
has out ' equal$' 17
plant requant_int constant
validate 4 resnet8-int cortex-m4 qemu --kernels "$tmp/k"
has err "^layer 5, 'add_4_0' (requant), .*overwritten constant: "
has err 'at 0x[0-9a-f]* is not what was loaded: the layer'
has out ' equal$' 15
echo "$n things looked for, $bad not there"
[ $bad = 0 ]
