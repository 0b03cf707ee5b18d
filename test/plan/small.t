#!/bin/sh
# A kernel that is hardly used gives way to the small reference one, on one core;
# one that computes more of the network does not.
cd "$(dirname "$0")/../.." || exit 1
d=build/test/small
mkdir -p $d
net() { # SIDE: a convolution of images SIDE pixels high and wide, and a product
    cat <<X
graph "small" exact
x = input : s8[1,$1,$1,64] range -128 127
w = input : s8[64,1,1,64] range -127 127
b = input : s32[64] range -10000 10000
mul = input : s32[64] range 500000 600000
add = input : s32[64] range 1000000 2000000
y = conv x w b mul add group=1 last=1 shift=30 lo=-128 hi=127
a = input : s8[1,22] range -128 127
v = input : s8[2,22] range -127 127
bias = input : s32[2] range -10000 10000
m = input : s32[2] range 500000 600000
n = input : s32[2] range 1000000 2000000
z = matmul a v bias m n transb=1 shift=30 lo=-128 hi=127
output y
output z
X
}
kernel() { # SIDE
    net "$1" >$d/net.il
    ./tilewright report $d/net.il -t "$2" --explain |
        sed -n 's/^ *\(matmul_[a-z_0-9]*\): .*/\1/p'
}
bad=0
want() { # SIDE CHIP KERNEL
    got=$(kernel "$1" "$2")
    case $got in
    $3) return ;;
    esac
    echo "$1 pixels on $2: $got, wanted $3"
    bad=1
}
want 64 cortex-m4 matmul_int_ref
want 8 cortex-m4 'matmul_*_dsp'
want 64 siracusa 'matmul_*_xpulp'
[ $bad = 0 ] && echo "3 kernels as wanted"
