#!/bin/sh
# Chips with odd DMA engines and memories: short transfers, short queues, levels
# with gaps.  Networks are the same bits there, with more records.  The emulation
# aborts where more transfers are begun than a queue takes.  With ALL=1 (odd.long)
# MobileNet there, too.
cd "$(dirname "$0")/../.." || exit 1
. test/lib/part.sh
command -v riscv64-unknown-elf-gcc >/dev/null ||
    { echo "no riscv64-unknown-elf-gcc: not run"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
runs=0
run() { # NETWORK ARGUMENTS: on the chip
    name=$1
    shift
    ./tilewright run "zoo/$name/network.onnx" -t "$tmp/odd.soc" -q "$@" \
        -i "zoo/$name/inputs.npz" -e "zoo/$name/outputs.npz" \
        >"$tmp/said" 2>&1 ||
        { echo "$name $*:"; cat "$tmp/odd.soc" "$tmp/said"; exit 1; }
    runs=$((runs + 1))
}
odd() { # NETWORK KEY=VALUE... of the DMA, then of the I/O DMA
    cat >"$tmp/odd.soc" <<END
include gap8
chip odd about="a GAP8 with odd DMA" rt=pulp io=semihost run=sim compute=cluster
dma mchan $2
dma hyper $3
END
    run "$1" --l2 150000
}
odd dscnn-int "queue=2 largest=1024" "queue=1 largest=512"
! whole || odd dscnn-int "queue=3 largest=256" "queue=2 largest=2000"
odd resnet8-int "queue=16 largest=100" "queue=1 largest=131071"
if [ "$ALL" ]; then
    odd mobilenetv1-0.25-128-int "queue=2 largest=700" "queue=1 largest=4096"
    run mobilenetv1-0.25-128-int --l2 150000 --emulate
fi

# Four levels, with the L2 at the third; an engine that nothing needs; one
# transfer at a time.
cat >"$tmp/odd.soc" <<'END'
include gap8
chip odd about="a GAP8 with four levels" rt=pulp io=semihost run=sim compute=cluster
memory L2 level=3
memory L2P0 level=3
memory L2P1 level=3
memory L3 level=4
memory MID base=0x1e000000 size=64K level=2 holds=weights align=4 latency=40 latency_fc=3
dma spare model=hyper clock=fc base=0x1a112000 size=0x2000 latency=23 latency_fc=9 rx_tx=0x480 config=0x400 memory=MID levels=MID,L2 queue=3
dma mchan queue=1 largest=256
dma hyper queue=1 largest=256
END
for name in $(printf '%s\n' resnet8-int autoencoder-int dscnn-int \
    transformer-int | each); do
    run $name
    run $name --l1 16000 --l2 60000
    run $name --l1 16000 --l2 60000 --emulate
done
! whole || run mobilenetv1-0.25-128-int --l2 150000
[ -z "$ALL" ] || run mobilenetv1-0.25-128-int --l2 150000 --emulate
echo "$runs networks match on chips with odd DMA and levels"
