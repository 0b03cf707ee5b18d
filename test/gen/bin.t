#!/bin/sh
# Weights above 4 MB are a binary that the assembler includes, on the machine
# itself and in QEMU; --no-bin keeps C, --bin takes the binary for few too.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/front tilewright || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0

python3 - "$tmp" <<'X' || exit 1
import array, random, sys
r = random.Random(1)
w = array.array('f', (r.uniform(-.05, .05) for i in range(1024 * 1088)))
w.tofile(open(sys.argv[1] + '/w.bin', 'wb'))
X
cat >"$tmp/large.txt" <<'X'
in x float[1,1024]
file a float[1024,1024] w.bin 0 4194304
file b float[1024,64] w.bin 4194304 262144
init c float[64] 0.5 -0.25 0.125
node MatMul m1 x,a -> p
node Relu r p -> q
node Gemm m2 q,b,c -> y
out y
X
build/test/front -s "$tmp" "$tmp/large.txt" >"$tmp/log" || exit 1
mv "$tmp"/large*.onnx "$tmp/large.onnx" || exit 1
sed 's/size=4M emu_base=0x80000000 emu_size=4M/size=16M emu_base=0x80000000 emu_size=16M/
    s/0x80800000/0x82000000/' soc/rv32imc.soc >"$tmp/rv.soc"

# made MODEL TARGET 'files wanted' OPTIONS...: compiled, with those weights
made() {
    model=$1 target=$2 want=$3
    shift 3
    n=$((n + 1))
    rm -rf "$tmp/p"
    if ./tilewright compile "$model" -t "$target" -n net -o "$tmp/p" -q "$@" \
        >"$tmp/log" 2>&1
    then
        got=$(cd "$tmp/p" && echo net_weights.[!h]*)
        [ "$got" = "$want" ] && return
        echo "$model -t $target $*: $got, wanted $want"
    else
        cat "$tmp/log"
    fi
    bad=$((bad + 1))
}

# passes: so does its self-test
passes() {
    n=$((n + 1))
    make -s -C "$tmp/p" run >"$tmp/log" 2>&1 &&
        grep -q 'self-test passed' "$tmp/log" && return
    cat "$tmp/log"
    bad=$((bad + 1))
}

binary='net_weights.S net_weights.bin' text=net_weights.c
made "$tmp/large.onnx" host "$binary"
passes
# a byte of the file is one of the network
n=$((n + 1))
printf '\377\377' | dd of="$tmp/p/net_weights.bin" bs=1 seek=4190002 \
    conv=notrunc 2>/dev/null
if make -s -B -C "$tmp/p" run >"$tmp/log" 2>&1; then
    echo 'the self-test does not notice the file'
    bad=$((bad + 1))
fi
if command -v qemu-system-riscv32 >/dev/null; then
    made "$tmp/large.onnx" "$tmp/rv.soc" "$binary"
    passes
else
    echo 'no qemu-system-riscv32: not tried there'
fi
made "$tmp/large.onnx" host "$text" --no-bin
passes
made zoo/dscnn-int/network.onnx host "$text"
made zoo/dscnn-int/network.onnx host "$binary" --bin
passes
echo "$n checks, $bad wrong"
[ $bad = 0 ]
