#!/bin/sh
# Chips with odd DMA engines: short transfers, short queues.  Networks are the
# same bits there, with more records.
cd "$(dirname "$0")/../.." || exit 1
command -v riscv64-unknown-elf-gcc >/dev/null ||
    { echo "no riscv64-unknown-elf-gcc: not run"; exit 0; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
runs=0
odd() { # NETWORK KEY=VALUE... of the DMA, then of the I/O DMA
    cat >"$tmp/odd.soc" <<END
include gap8
chip odd about="a GAP8 with odd DMA" rt=pulp io=semihost run=sim compute=cluster
dma mchan $2
dma hyper $3
END
    ./tilewright run zoo/$1/network.onnx -t "$tmp/odd.soc" --l2 150000 -q \
        -i zoo/$1/inputs.npz -e zoo/$1/outputs.npz >"$tmp/said" 2>&1 ||
        { echo "$1, $2, $3:"; cat "$tmp/said"; exit 1; }
    runs=$((runs + 1))
}
odd dscnn-int "queue=2 largest=1024" "queue=1 largest=512"
odd dscnn-int "queue=3 largest=256" "queue=2 largest=2000"
odd resnet8-int "queue=16 largest=100" "queue=1 largest=131071"
odd mobilenetv1-0.25-128-int "queue=2 largest=700" "queue=1 largest=4096"
printf 'include gap8\ndma mchan queue=1\n' >"$tmp/odd.soc"
./tilewright report zoo/dscnn-int/network.onnx -t "$tmp/odd.soc" \
    >"$tmp/said" 2>&1
[ $? = 1 ] && grep -q "queue=1: a team's program wants 2" "$tmp/said" ||
    { echo "a queue of one:"; cat "$tmp/said"; exit 1; }
echo "$runs networks match on chips with odd DMA"
