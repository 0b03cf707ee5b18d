#!/bin/sh
# Networks on several chips have the bits of one chip.
cd "$(dirname "$0")/../.." || exit 1
make -s build/test/shard || exit 1
seed=${1:-${SEED:-$(date +%s)}}
echo "seed $seed"
timeout 100 build/test/shard "$seed" 240 zoo/transformer-int/network.onnx \
    zoo/attention-ecg-int/network.onnx zoo/dscnn-int/network.onnx
