#!/bin/sh
# The kernel that doc/kernels.md works out, taken from there: it is chosen
# before ours, runs, and is not silently left out when its head says no.
cd "$(dirname "$0")/../.." || exit 1
dir=build/test/own
rm -rf $dir
mkdir -p $dir/mine $dir/never
sed -n '/^    \/\* Hyperbolic tangent as/,/^    MAP1/s/^    //p' \
    doc/kernels.md >$dir/mine/tanh_f32.c
sed 's/^ \* when .*/ * when     n[5] < 0/' $dir/mine/tanh_f32.c \
    >$dir/never/tanh_f32.c
net=zoo/lstm-f32
run() { # FOLDER
    ./tilewright run $net/network.onnx -t host --kernels $dir/$1 --explain -v \
        -i $net/inputs.npz -e $net/outputs.npz --tolerance 1e-3 \
        >$dir/$1.txt 2>&1 || { cat $dir/$1.txt; exit 1; }
}
run mine
run never
n=$(grep -c ' tanh  *tanh_f32_mine ' $dir/mine.txt)
ours=$(grep -c ' tanh  *tanh_f32_ref ' $dir/never.txt)
why=$(grep -c 'tanh_f32_never: only when n\[5\] < 0' $dir/never.txt)
[ "$n" -gt 0 ] && [ "$n" = "$ours" ] && [ "$why" -ge "$ours" ] || {
    cat $dir/mine.txt $dir/never.txt
    echo "chosen $n times; refused with $ours of ours, $why times explained"
    exit 1
}
echo "a kernel of one's own: chosen $n times, refused $ours times with reason"
